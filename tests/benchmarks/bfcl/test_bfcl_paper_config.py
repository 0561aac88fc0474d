"""The paper's settings are a run configuration that Inspect takes."""

from pathlib import Path

import yaml
from inspect_ai.model import GenerateConfig

from envscaler_eval.tasks import bfcl_multi_turn

CONFIG = Path(__file__).parents[3] / "paper_config" / "bfcl.yaml"


def test_the_settings_are_those_of_the_paper(miniature: Path) -> None:
    settings = yaml.safe_load(CONFIG.read_text("utf-8"))
    task = bfcl_multi_turn(data_dir=str(miniature), **settings["task"]["args"])
    assert settings["task"]["task"] == "envscaler_eval/bfcl_multi_turn"
    assert task.metadata and task.metadata["snapshot"] == "v3"
    assert GenerateConfig.model_validate(settings["generate_config"]).temperature == 0.7
