"""The run files of the paper's settings are taken by Inspect, and agree among themselves."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig

import envscaler_eval
from envscaler_eval.tasks import envscaler
from tests.cli.commands import inspect

FOLDER = Path(envscaler_eval.__file__).parents[1] / "paper_config"
if not FOLDER.exists():
    pytest.skip("not a checkout", allow_module_level=True)

NAMES = [file.stem for file in sorted(FOLDER.glob("*.yaml"))]


def _settings(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return content


def test_there_is_a_file_for_each_task() -> None:
    assert NAMES == ["acebench", "bfcl", "envscaler", "tau_bench"]


def test_the_library_is_run_by_the_paper_s_protocol() -> None:
    settings = _settings(FOLDER / "envscaler.yaml")
    task = envscaler(**settings["task"]["args"])
    assert settings["task"]["task"] == "envscaler_eval/envscaler"
    assert settings["task"]["args"]["protocol"] == "paper"
    assert task.epochs == 3
    agent = GenerateConfig.model_validate(settings["generate_config"])
    assert (agent.temperature, agent.top_p, agent.max_tokens) == (0.7, 0.95, 10000)
    assert settings["model_roles"]["user"]["config"] == {"temperature": 0.7}


@pytest.mark.parametrize("name", NAMES)
def test_the_files_for_vllm_add_the_model_and_its_thinking_to_the_paper_s(name: str) -> None:
    general = _settings(FOLDER / f"{name}.yaml")
    served = _settings(FOLDER / "qwen3_vllm" / f"{name}.yaml")
    assert served.pop("model") == {
        "model": "vllm/Qwen/Qwen3-8B",
        "base_url": "http://localhost:8000/v1",
    }
    thinking = served["generate_config"].pop("extra_body")
    assert thinking == {"chat_template_kwargs": {"enable_thinking": True}}
    assert served == general


def test_inspect_takes_the_file_and_options_go_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    finished = inspect(
        *("eval", "--run-config", FOLDER / "qwen3_vllm" / "envscaler.yaml"),
        *("--model", "policy/oracle", "--model-role", "user=policy/user"),
        *("-T", "envs=grant_office", "-T", "scenarios_per_env=1", "-T", "trials=1"),
        *("--log-dir", tmp_path, "--display", "none"),
        folder=tmp_path,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (info,) = list_eval_logs(str(tmp_path))
    log = read_eval_log(info)
    assert log.eval.model == "policy/oracle"
    assert log.eval.task_args_passed["protocol"] == "paper"
    thinking = log.eval.model_generate_config.extra_body
    assert thinking == {"chat_template_kwargs": {"enable_thinking": True}}
    assert len(log.samples or []) == 2
