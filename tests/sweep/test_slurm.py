"""The script for Slurm, run by a stand-in for its scheduler."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep.engines import SlurmEngine
from envscaler_eval.sweep.engines.slurm import run_part
from envscaler_eval.sweep.status import sweep_status
from tests.sweep.plans import a_plan, run_sweep, table_of, write_rooms

REPOSITORY = Path(__file__).parents[2]


def directives(script: Path) -> dict[str, str]:
    """Return the options that the script has for `sbatch`."""
    lines = re.findall(r"^#SBATCH --([a-z-]+)=?(.*)$", script.read_text("utf-8"), re.MULTILINE)
    return dict(lines)


def schedule(script: Path, only: range | None = None) -> list[int]:
    """Run each task of the array as a node of a cluster would; return the exit codes."""
    found = re.fullmatch(r"0-(\d+)%\d+", directives(script)["array"])
    assert found is not None
    tasks = range(int(found[1]) + 1) if only is None else only
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    return [
        subprocess.run(
            ["bash", str(script)],
            env={**os.environ, "PYTHONPATH": path, "SLURM_ARRAY_TASK_ID": str(task)},
            # A node starts in a folder of its own.
            cwd="/",
            capture_output=True,
            check=False,
        ).returncode
        for task in tasks
    ]


def test_the_array_gives_the_table_of_a_run_on_one_machine(tmp_path: Path) -> None:
    rooms = write_rooms(tmp_path, scenarios=2)
    plan = a_plan(rooms)
    run_sweep(plan, tmp_path / "alone")
    engine = SlurmEngine(workers=8, folder=tmp_path / "slurm")
    run_sweep(plan, tmp_path / "array", engine)
    assert schedule(engine.script) == [0, 0]
    assert sweep_status(str(tmp_path / "array")).is_complete
    assert table_of(tmp_path / "array") == table_of(tmp_path / "alone")


def test_a_task_that_was_lost_is_made_up_for_by_another_array(tmp_path: Path) -> None:
    plan = a_plan(write_rooms(tmp_path, scenarios=2))
    engine = SlurmEngine(workers=8, folder=tmp_path / "slurm")
    run_sweep(plan, tmp_path / "array", engine)
    assert schedule(engine.script, range(1)) == [0]
    assert not sweep_status(str(tmp_path / "array")).is_complete
    run_sweep(plan, tmp_path / "array", engine)
    assert directives(engine.script)["array"] == "0-0%8"
    assert schedule(engine.script) == [0]
    assert sweep_status(str(tmp_path / "array")).is_complete


def test_the_script_says_what_a_task_needs(tmp_path: Path) -> None:
    engine = SlurmEngine(
        workers=3, folder=tmp_path / "slurm", options=("--partition=cpu",), cpus=2, memory_gb=1.5
    )
    run_sweep(a_plan(write_rooms(tmp_path)), tmp_path / "array", engine)
    told = directives(engine.script)
    assert told["array"] == "0-5%3"
    assert told["cpus-per-task"] == "2"
    assert told["mem"] == "1536M"
    assert told["partition"] == "cpu"
    assert "requeue" in told
    checked = subprocess.run(["bash", "-n", str(engine.script)], check=False)
    assert checked.returncode == 0


def test_an_array_is_no_longer_than_slurm_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("envscaler_eval.sweep.engines.slurm.LONGEST_ARRAY", 2)
    engine = SlurmEngine(workers=3, folder=tmp_path / "slurm")
    plan = a_plan(write_rooms(tmp_path, scenarios=2), samples_per_shard=1, models=["policy/noop"])
    run_sweep(plan, tmp_path / "array", engine)
    assert directives(engine.script)["array"] == "0-1%3"
    (job,) = (tmp_path / "array" / "jobs").iterdir()
    where = f"{tmp_path / 'array'}/jobs/{job.name}"
    for part in range(2):
        assert run_part(where, part, 2, lambda _: None)
    assert sweep_status(str(tmp_path / "array")).is_complete


def test_a_folder_with_spaces_is_one_option(tmp_path: Path) -> None:
    engine = SlurmEngine(workers=3, folder=tmp_path / "my jobs")
    run_sweep(a_plan(write_rooms(tmp_path)), tmp_path / "my sweep", engine)
    (output,) = shlex.split(f"--output={directives(engine.script)['output']}")
    assert output == f"--output={tmp_path}/my jobs/%A_%a.out"


def test_without_sbatch_the_script_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    engine = SlurmEngine(workers=1, folder=tmp_path / "slurm", submit=True)
    with pytest.raises(UsageError, match=r"no sbatch on this machine; submit .*submit\.sh"):
        run_sweep(a_plan(write_rooms(tmp_path)), tmp_path / "array", engine)


def test_a_job_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    for content in (None, "{", "[]", '{"work": {"colour": 1}, "items": []}'):
        if content is not None:
            file.write_text(content)
        with pytest.raises(UsageError, match="is no job of a sweep"):
            run_part(str(file), 0, 1, lambda _: None)
