"""The paper's settings are a run configuration that Inspect takes."""

from pathlib import Path

import yaml
from inspect_ai.model import GenerateConfig

from envscaler_eval.tasks import acebench_agent

CONFIG = Path(__file__).parents[3] / "paper_config" / "acebench.yaml"


def test_the_settings_are_those_of_the_paper(miniature_dir: str) -> None:
    settings = yaml.safe_load(CONFIG.read_text("utf-8"))
    task = acebench_agent(data_dir=miniature_dir, **settings["task"]["args"])
    assert settings["task"]["task"] == "envscaler_eval/acebench_agent"
    assert task.epochs == 3
    agent = GenerateConfig.model_validate(settings["generate_config"])
    user = GenerateConfig.model_validate(settings["model_roles"]["user"]["config"])
    assert (agent.temperature, agent.top_p, agent.max_tokens) == (0.7, 0.95, 10000)
    assert (user.temperature, user.max_tokens) == (0.001, 10000)
