"""Scenario generation, killed in the middle of writing and gone on with."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import envscaler_eval
from envscaler_eval.pack import read_pack
from envscaler_eval.synth.artefacts import Artefacts, content_key
from tests.synth.kiln import SKELETON
from tests.synth.kiln_session import ANSWERS

KILLS = (4, 9, 9, 5)
"""After so many writes: among the requests, while solving, at a repair, near the end."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a model has said, as a file."""
    file = tmp_path_factory.mktemp("session") / "kiln.jsonl"
    lines = (
        {"key": str(n), "step": step, "item": item, "attempt": attempt, "answer": answer}
        for n, ((step, item, attempt), answer) in enumerate(ANSWERS.items())
    )
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def generate(folder: Path, session: Path, *kills: int) -> list[dict[str, Any]]:
    """Run the command on a run that has kept the kiln, and say how each process ended."""
    with Artefacts(folder) as artefacts:
        kept = {"item": SKELETON.id, "status": "kept", "value": SKELETON.model_dump(mode="json")}
        artefacts.put("stage_skeletons", content_key("kiln"), kept)
    report = folder.with_suffix(".json")
    subprocess.run(
        [
            sys.executable, "-m", "tests.synth.interrupted", str(report), json.dumps(kills),
            "synth", "scenarios", "--out", str(folder), "--model", f"session/{session}",
            "--states", "1", "--tasks", "2", "--fewest-records", "9", "--concurrency", "1",
            "--allow-weak-isolation",
        ],
        cwd=Path(envscaler_eval.__file__).parents[1],
        check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    ends: list[dict[str, Any]] = json.loads(report.read_text())
    return ends


def records(folder: Path) -> dict[str, list[str]]:
    """Return the lines of all artefacts."""
    return {file.name: sorted(file.read_text().splitlines()) for file in folder.glob("*.jsonl")}


def test_a_killed_run_ends_as_one_that_was_left_alone(session: Path, tmp_path: Path) -> None:
    (alone,) = generate(tmp_path / "alone", session, 0)
    *killed, last = generate(tmp_path / "killed", session, *KILLS, 0)
    assert [end["code"] for end in killed] == [-9] * len(KILLS)
    # The kiln has no proofs of its rules, so that the pack as a whole does not pass.
    assert last["code"] == alone["code"] == 1
    for end in (*killed, last):
        assert not set(end["asked"]) & set(end["answered_before"])
    assert records(tmp_path / "killed") == records(tmp_path / "alone")
    packs = [read_pack(tmp_path / run / "packs" / "kiln_share") for run in ("alone", "killed")]
    assert packs[0].hash == packs[1].hash
    assert len(packs[0].scenarios) == 1
