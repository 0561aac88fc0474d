"""The commands of the synthesis, with environments made by the engines of sweeps."""

import re
from pathlib import Path

import pytest

from envscaler_eval.pack import read_pack
from envscaler_eval.synth.artefacts import Artefacts, content_key
from tests.cli.commands import Command, in_process
from tests.sweep.synth_runs import (
    KILNS,
    NAMES,
    write_session,
)
from tests.sweep.test_slurm import schedule


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """`envscaler synth scenarios` in a folder with a session, on a run that has kept a kiln."""
    monkeypatch.chdir(tmp_path)
    write_session(Path("kilns.jsonl"))
    with Artefacts(Path("run")) as artefacts:
        kept = {"item": NAMES[0], "status": "kept", "value": KILNS[0].model_dump(mode="json")}
        artefacts.put("stage_skeletons", content_key("kiln"), kept)
    envscaler = in_process(monkeypatch, capsys)

    def scenarios(*options: object) -> tuple[int, str, str]:
        return envscaler(
            *("synth", "scenarios", "--out", "run", "--model", "session/kilns.jsonl"),
            *("--states", 1, "--tasks", 2, "--fewest-records", 9, "--allow-weak-isolation"),
            *options,
        )

    return scenarios


def test_slurm_makes_them_and_the_second_call_has_the_packs(
    command: Command, tmp_path: Path
) -> None:
    code, shown, _ = command("--engine", "slurm", "--workers", 4)
    script = Path("run/work/slurm/submit.sh")
    assert code == 0
    assert f"Submit it with: sbatch {script}" in shown
    assert "give the same command again" in shown
    # A node starts in a folder of its own, and finds the session all the same.
    assert schedule(script.resolve()) == [0]
    code, shown, _ = command("--engine", "slurm", "--workers", 4)
    # The kiln has no proofs of its rules, so that the pack as a whole does not pass.
    assert code == 1
    assert "Submit" not in shown
    assert len(read_pack(tmp_path / "run" / "packs" / NAMES[0]).scenarios) == 1


def test_the_command_without_an_engine_needs_no_store(command: Command, tmp_path: Path) -> None:
    write_session(Path("kilns.jsonl"), "solve")
    code, shown, errors = command()
    assert code == 1
    assert "2 unfinished; give the same command again" in shown
    assert "environments are done" not in errors
    assert not (tmp_path / "run" / "work").exists()


def test_what_could_not_be_made_ends_with_exit_code_1(command: Command) -> None:
    write_session(Path("kilns.jsonl"), "solve")
    code, _, errors = command("--store", "elsewhere")
    assert code == 1
    assert "0 of 1 environments are done" in errors
    # Two scenarios are solved at once; one of them is told.
    assert re.search(rf"solved: {NAMES[0]}/\w+: session .* has no answer .* \(and 1 more\)", errors)
    assert "Not complete: 1 environments are not done; the same command goes on." in errors
    assert Path("elsewhere/failed").exists()


def test_more_workers_than_connections_are_refused(command: Command) -> None:
    code, _, errors = command("--workers", 3, "--max-connections", 2)
    assert code == 2
    assert "run at most 2 workers, or raise it to 3 or more" in errors
