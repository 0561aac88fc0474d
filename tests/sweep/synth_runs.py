"""Runs of the synthesis over engines, on recorded sessions, and what they have asked."""

import asyncio
import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.sweep import Engine, Item, Report, Store, Work
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.synth_run import SharedRun, SynthOutcome
from envscaler_eval.sweep.synth_work import make_environment
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pack_folders import write_packs
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.question import Question
from envscaler_eval.synth.scen_generator.build import ScenGenerator
from envscaler_eval.synth.sessions import RecordedAnswer, Session
from envscaler_eval.synth.skel_builder import Skeleton
from tests.synth.kiln import SKELETON
from tests.synth.kiln_session import ANSWERS

# The program is our own; isolation has tests of its own.
TRUSTED = IsolationPolicy("in_process")
GENERATOR = ScenGenerator(states=1, tasks=2, fewest_records=9, isolation=TRUSTED)
NAMES = ("kiln_one", "kiln_two")

MORTAL = "tests.sweep.synth_runs:make_and_die_once"
_ANSWERS = 7


def kiln(name: str) -> Skeleton:
    """The kiln under another name."""
    plan = SKELETON.program.plan
    renamed = plan.model_copy(update={"topic": plan.topic.model_copy(update={"id": name})})
    program = SKELETON.program.model_copy(update={"plan": renamed})
    return SKELETON.model_copy(update={"program": program})


KILNS = [kiln(name) for name in NAMES]


def write_session(file: Path, *without: str, names: Sequence[str] = NAMES) -> str:
    """Write what a model says of each kiln, and return the model.

    Args:
        file: Where.
        without: The steps that it says nothing to.
        names: The kilns.
    """
    lines = (
        {
            "key": f"{name} {number}",
            "step": step,
            "item": item.replace("kiln_share", name),
            "attempt": attempt,
            "answer": answer,
        }
        for name in names
        for number, ((step, item, attempt), answer) in enumerate(ANSWERS.items())
        if step not in without
    )
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return f"session/{file}"


def generated(
    folder: Path,
    model: str,
    engine: Engine | None = None,
    skeletons: Sequence[Skeleton] = KILNS,
    store: Path | str | None = None,
    connections: int = 10,
) -> SynthOutcome[Pack]:
    """Give kilns their scenarios over an engine, one after another, and write the packs.

    Args:
        folder: The run's folder.
        model: Who answers.
        engine: The engine; by default this process.
        skeletons: The kilns.
        store: The store; by default within the run's folder.
        connections: Requests at once, over all workers.
    """
    with Artefacts(folder) as artefacts:
        run = SharedRun(
            artefacts,
            Models(model, max_connections=connections),
            engine or LocalEngine(),
            Store(str(store or folder / "work")),
            concurrency=1,
        )
        outcome = run.generate(GENERATOR, skeletons)
    write_packs(outcome.made, folder / "packs")
    return outcome


def generated_alone(folder: Path, model: str) -> dict[tuple[str, str], str]:
    """Do the same without an engine.

    Returns:
        What is unfinished.
    """
    with Artefacts(folder) as artefacts:
        run = Run(artefacts, Models(model), concurrency=1)
        made = asyncio.run(GENERATOR.generate_all(run, KILNS))
    write_packs(made, folder / "packs")
    return run.unfinished


def planned(folder: Path, model: str, **options: Any) -> list[Item]:
    """Return what an engine is given to do, none of which it does."""
    found: list[Item] = []

    class Planner(LocalEngine):
        def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
            found.extend(items)

    outcome = generated(folder, model, Planner(options.pop("workers", 1)), **options)
    assert outcome.missing == len(found)
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files below a folder."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def records(folder: Path) -> dict[str, list[str]]:
    """Return the lines of all records of a run."""
    return {file.name: sorted(file.read_text().splitlines()) for file in folder.glob("*.jsonl")}


def answered(folder: Path) -> list[str]:
    """Return the questions that have been answered in a run's folder."""
    found = read_records(folder, "answers")
    return [str(Question(r["step"], r["item"], r["attempt"])) for r in found]


@contextmanager
def noted_questions() -> Iterator[list[str]]:
    """Note each question that a session answers in this process."""
    asked: list[str] = []
    answer = Session.answer

    def noted(session: Session, question: Question) -> RecordedAnswer:
        found = answer(session, question)
        asked.append(str(question))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "answer", noted)
        yield asked


def make_and_die_once(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Make an environment, but be killed at the first try, as an answer is to be written.

    A `WorkFunction`. What is asked in each try is a file in `asked/KEY`.
    """
    is_first = not store.names(f"asked/{key}")
    asked = f"asked/{key}/{uuid.uuid4().hex}.json"
    write, written = Store.write, 0

    def mortal(self: Store, name: str, content: bytes) -> None:
        nonlocal written
        if name.startswith("begun/") and ".answers." in name:
            if is_first and written == _ANSWERS:
                os._exit(9)
            written += 1
        write(self, name, content)

    with noted_questions() as questions, pytest.MonkeyPatch.context() as patch:
        answer = Session.answer

        def told(session: Session, question: Question) -> RecordedAnswer:
            found = answer(session, question)
            write(store, asked, json.dumps(questions).encode())
            return found

        patch.setattr(Session, "answer", told)
        patch.setattr(Store, "write", mortal)
        return make_environment(key, payload, store)
