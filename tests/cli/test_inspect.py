"""Inspect's own command, on our tasks."""

from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

import envscaler_eval
from envscaler_eval.pack import find_packs
from tests.cli.commands import inspect
from tests.inspect_runs import only, score
from tests.pack_files import CHECKS, a_scenario, write_pack, write_scenarios

CHECKOUT = Path(envscaler_eval.__file__).parents[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-T", "envs=atlantis"), "Error: there is no environment 'atlantis'"),
        (("-T", "mode=chat"), "Error: mode is 'chat'; use one of non_conv, conv, both"),
    ],
)
def test_a_person_s_mistake_ends_in_one_line_and_two(
    arguments: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    finished = inspect(
        "eval", "envscaler_eval/envscaler", "--model", "policy/noop", *arguments, folder=tmp_path
    )
    assert finished.returncode == 2
    assert "Traceback" not in finished.stderr + finished.stdout
    (line,) = (finished.stderr + finished.stdout).strip().splitlines()
    assert line.startswith(told)


def test_the_task_s_file_runs_from_a_checkout(tmp_path: Path) -> None:
    shipped = find_packs()[0].name
    finished = inspect(
        "eval",
        "tasks/envscaler.py",
        *("--model", "policy/oracle", "--model-role", "user=policy/user"),
        *("-T", f"envs={shipped}", "-T", "scenarios_per_env=1", "-T", "mode=both"),
        *("--log-dir", tmp_path, "--display", "none"),
        folder=CHECKOUT,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (info,) = list_eval_logs(str(tmp_path))
    samples = read_eval_log(info).samples or []
    assert [score(sample)["success"] for sample in samples] == [1] * 2


def test_a_saved_log_is_scored_again_without_a_model_and_refused_once_the_pack_has_changed(
    tmp_path: Path,
) -> None:
    pack = write_pack(tmp_path)
    logs = tmp_path / "logs"
    finished = inspect(
        "eval",
        "envscaler_eval/envscaler",
        *("--model", "policy/oracle", "-T", f"envs={pack}", "--log-dir", logs),
        *("--display", "none"),
        folder=tmp_path,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (info,) = list_eval_logs(str(logs))
    again = logs / "again.eval"
    rescore = (
        *("score", info.name.removeprefix("file://"), "--scorer", "envscaler_eval/checklist"),
        *("--action", "overwrite", "--output-file", again),
    )
    finished = inspect(*rescore, folder=tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert score(only(read_eval_log(str(again)))) == {"reward": 1, "success": 1, "paper_reward": 1}
    write_scenarios(pack, [a_scenario(checks=CHECKS[:2])])
    finished = inspect(*rescore, "--overwrite", folder=tmp_path)
    assert finished.returncode == 2
    assert "Traceback" not in finished.stdout + finished.stderr
    assert "Error: pack 'stock_room' is not the one" in finished.stdout + finished.stderr
