"""The recorded sessions, replayed from plain tasks to the packs of the library."""

import asyncio
from pathlib import Path

import pytest

import envscaler_eval
from envscaler_eval import core_yaml
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import LIBRARY, read_pack
from envscaler_eval.pack_writing import write_pack
from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.scen_generator.build import ScenGenerator
from envscaler_eval.synth.skel_builder import (
    AssessmentRules,
    SelectionRules,
    SkelBuilder,
    read_tasks,
)

RECORDED = Path(envscaler_eval.__file__).parent / "synth" / "recorded"
SESSIONS = sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir())

# What ships has been read; isolation has tests of its own, and takes three times as long.
TRUSTED = IsolationPolicy("in_process")


def requests_in(session: Path) -> int:
    """Count the requests that a session has written."""
    answers = [a for file in session.glob("*.yaml") for a in core_yaml.load(file.read_text())]
    return len({answer["item"] for answer in answers if answer["step"] == "write_task"})


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_ends_in_a_pack_of_the_library(name: str, tmp_path: Path) -> None:
    session = RECORDED / name
    builder = SkelBuilder(
        SelectionRules(clusters=1),
        assessment=AssessmentRules(rounds=1, starts=1),
        isolation=TRUSTED,
    )
    generator = ScenGenerator(
        states=1, tasks=requests_in(session), fewest_records=30, isolation=TRUSTED
    )
    with Artefacts(tmp_path / "run") as artefacts:
        run = Run(artefacts, Models(f"session/{session}"))
        tasks = read_tasks(str(session / "tasks.txt"))

        async def build() -> list[Path]:
            packs = await generator.generate_all(run, await builder.build(run, tasks))
            return [write_pack(pack, tmp_path) for pack in packs]

        (folder,) = asyncio.run(build())
    assert not run.unfinished
    assert read_pack(folder).hash == read_pack(LIBRARY / folder.name).hash
