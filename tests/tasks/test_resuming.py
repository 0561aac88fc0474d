"""A run that was killed is finished by Inspect without repeating what is done."""

import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import eval_set
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log

from tests import interrupted_runs
from tests.cli.commands import inspect
from tests.inspect_runs import facts, run, score
from tests.pack_files import a_scenario, write_pack

DONE = 3


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Four scenarios, of which the oracle cannot fully solve two; in both modes eight samples."""
    half = a_scenario()["solution"][:2]
    return write_pack(
        tmp_path,
        scenarios=[
            a_scenario(id="one"),
            a_scenario(id="two", solution=half),
            a_scenario(id="three", solution=half),
            a_scenario(id="four"),
        ],
    )


def _killed(how: str, pack: Path, log_dir: Path) -> EvalLog:
    """Start a run, kill it when it is halfway, and return what it has left."""
    with subprocess.Popen(
        [sys.executable, interrupted_runs.__file__, how, str(pack), str(log_dir), str(DONE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        told = next(
            (line for line in running.stdout if line.strip() == interrupted_runs.HALFWAY), ""
        )
        running.kill()
    assert told, "the run ended before it was halfway"
    return _only_log(log_dir)


def _only_log(log_dir: Path) -> EvalLog:
    (info,) = list_eval_logs(str(log_dir))
    return read_eval_log(info)


def _identity(sample: EvalSample) -> tuple[object, ...]:
    return sample.uuid, sample.started_at, sample.completed_at


def _assert_finished(killed: EvalLog, finished: EvalLog, uninterrupted: EvalLog) -> None:
    assert killed.status == "started"
    before = {(s.id, s.epoch): _identity(s) for s in killed.samples or []}
    assert len(before) == DONE
    samples = {(s.id, s.epoch): s for s in finished.samples or []}
    assert finished.status == "success"
    assert {key: _identity(samples[key]) for key in before} == before
    assert len(samples) == 8
    plain = {(s.id, s.epoch): s for s in uninterrupted.samples or []}
    assert {key: score(s) for key, s in samples.items()} == {k: score(s) for k, s in plain.items()}
    assert {key: facts(s) for key, s in samples.items()} == {k: facts(s) for k, s in plain.items()}
    assert _figures(finished) == _figures(uninterrupted)
    assert _figures(finished)["success", "mean"] == 0.5


def _figures(log: EvalLog) -> dict[tuple[str, str], float]:
    assert log.results is not None
    return {
        (result.name, name): metric.value
        for result in log.results.scores
        for name, metric in result.metrics.items()
    }


def _uninterrupted(pack: Path, log_dir: Path) -> EvalLog:
    args = interrupted_runs.arguments(str(pack))
    del args["envs"]
    return run(pack, "policy/oracle", log_dir, "policy/user", **args)


def test_eval_retry_finishes_a_run_that_was_killed(pack: Path, tmp_path: Path) -> None:
    killed = _killed("eval", pack, tmp_path / "logs")
    finished = inspect(
        *("eval-retry", killed.location, "--log-dir", tmp_path / "again", "--display", "none"),
        folder=tmp_path,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    _assert_finished(
        killed, _only_log(tmp_path / "again"), _uninterrupted(pack, tmp_path / "plain")
    )


def test_the_same_eval_set_again_finishes_a_run_that_was_killed(pack: Path, tmp_path: Path) -> None:
    killed = _killed("eval_set", pack, tmp_path / "logs")
    success, (log,) = eval_set(
        "envscaler_eval/envscaler",
        task_args=interrupted_runs.arguments(str(pack)),
        model="policy/oracle",
        model_roles={"user": "policy/user"},
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert success
    _assert_finished(killed, read_eval_log(log.location), _uninterrupted(pack, tmp_path / "plain"))
