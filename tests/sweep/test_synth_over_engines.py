"""Synthesis whose environments are made by the engines of sweeps."""

import asyncio
import dataclasses
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import envscaler_eval
from envscaler_eval.errors import UsageError
from envscaler_eval.sweep import Store
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.synth_run import SharedRun
from envscaler_eval.sweep.synth_work import make_environment
from envscaler_eval.sweep.work import DONE, keys_in
from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.skel_builder import (
    AssessmentRules,
    SelectionRules,
    SkelBuilder,
    Task,
    read_tasks,
    write_skeletons,
)
from tests.sweep.synth_runs import (
    GENERATOR,
    KILNS,
    MORTAL,
    NAMES,
    TRUSTED,
    answered,
    files,
    generated,
    generated_alone,
    kiln,
    noted_questions,
    planned,
    records,
    write_session,
)
from tests.sweep.test_slurm import REPOSITORY
from tests.synth.colours import Oracle

RECORDED = Path(envscaler_eval.__file__).parent / "synth" / "recorded"
SESSIONS = ("allotments", "sample_repository")
BUILDER = SkelBuilder(
    SelectionRules(clusters=2), assessment=AssessmentRules(rounds=1, starts=1), isolation=TRUSTED
)


@dataclass(frozen=True)
class Built:
    """Two environments, built from two recorded sessions at once.

    Attributes:
        model: What has answered.
        tasks: The tasks of both.
        alone: The run's folder of one process.
        shared: The run's folder of two.
    """

    model: str
    tasks: list[Task]
    alone: Path
    shared: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    tasks: list[Task] = []
    for name in SESSIONS:
        shutil.copytree(RECORDED / name, folder / "session" / name)
        tasks += read_tasks(str(RECORDED / name / "tasks.txt"))
    model = f"session/{folder / 'session'}"
    with Artefacts(folder / "alone") as artefacts:
        made = asyncio.run(BUILDER.build(Run(artefacts, Models(model)), tasks))
    write_skeletons(made, folder / "alone" / "skeletons")
    found = Built(model, tasks, folder / "alone", folder / "shared")
    build(found, found.shared, LocalEngine(2))
    return found


def build(built: Built, folder: Path, engine: LocalEngine, store: Path | None = None) -> int:
    """Build over an engine, and return how many environments were kept."""
    with Artefacts(folder) as artefacts:
        place = Store(str(store or folder / "work"))
        outcome = SharedRun(artefacts, Models(built.model), engine, place).build(
            BUILDER, built.tasks
        )
    assert not outcome.missing
    assert not outcome.unfinished
    return len(write_skeletons(outcome.made, folder / "skeletons"))


@pytest.fixture
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of a pool find the functions of tests."""
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return write_session(tmp_path / "kilns.jsonl")


def refuse(*_: object) -> None:
    raise AssertionError("an engine has nothing to do")


def test_environments_and_records_are_those_of_a_run_in_one_process(built: Built) -> None:
    alone = files(built.alone / "skeletons")
    assert {name.partition("/")[0] for name in alone} == {
        "allotment_garden_office",
        "sample_repository",
    }
    assert files(built.shared / "skeletons") == alone
    assert records(built.shared) == records(built.alone)
    assert len(keys_in(Store(str(built.shared / "work")), DONE)) == 2


def test_what_was_done_leaves_nothing_but_its_result(built: Built) -> None:
    assert {file.parts[0] for file in map(Path, files(built.shared / "work"))} == {DONE}


def test_a_second_run_asks_nothing(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalEngine, "run", refuse)
    with noted_questions() as asked:
        assert build(built, built.shared, LocalEngine(2)) == 2
    assert not asked


def test_another_machine_takes_what_the_store_has(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalEngine, "run", refuse)
    shutil.copytree(built.shared / "work", tmp_path / "work")
    assert build(built, tmp_path / "run", LocalEngine(2), tmp_path / "work") == 2
    assert files(tmp_path / "run" / "skeletons") == files(built.alone / "skeletons")


def test_a_finished_run_of_one_process_leaves_engines_nothing_to_do(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalEngine, "run", refuse)
    shutil.copytree(built.alone, tmp_path / "run")
    assert build(built, tmp_path / "run", LocalEngine(2)) == 2


def test_an_environment_that_is_dropped_is_done(built: Built, tmp_path: Path) -> None:
    session = tmp_path / "session"
    shutil.copytree(RECORDED / SESSIONS[0], session / "tasks")
    nonsense = [
        {"step": "plan_state", "item": "allotment_garden_office", "attempt": n, "answer": "No."}
        for n in (1, 2, 3)
    ]
    # YAML reads JSON; of two answers to a question the later file's counts.
    (session / "zz.yaml").write_text(json.dumps(nonsense))
    tasks = read_tasks(str(RECORDED / SESSIONS[0] / "tasks.txt"))
    builder = dataclasses.replace(BUILDER, selection=SelectionRules(clusters=1))
    store = Store(str(tmp_path / "work"))
    with Artefacts(tmp_path / "run") as artefacts:
        run = SharedRun(artefacts, Models(f"session/{session}"), LocalEngine(), store)
        outcome = run.build(builder, tasks)
    assert (outcome.made, outcome.missing) == ([], 0)
    assert len(keys_in(store, DONE)) == 1
    assert "no usable answer" in (tmp_path / "run" / "stage_plans.jsonl").read_text()


def test_packs_are_those_of_a_run_in_one_process(model: str, tmp_path: Path) -> None:
    outcome = generated(tmp_path / "shared", model, LocalEngine(2))
    assert not generated_alone(tmp_path / "alone", model)
    assert [pack.info.id for pack in outcome.made] == list(NAMES)
    assert files(tmp_path / "shared" / "packs") == files(tmp_path / "alone" / "packs")
    assert records(tmp_path / "shared") == records(tmp_path / "alone")


@pytest.mark.usefixtures("_importable")
def test_a_killed_worker_has_asked_nothing_in_vain(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("envscaler_eval.sweep.synth_run.FUNCTION", MORTAL)
    outcome = generated(tmp_path / "run", model, LocalEngine(2), KILNS[:1])
    assert (outcome.missing, len(outcome.made)) == (0, 1)
    tries = list((tmp_path / "run" / "work" / "asked").rglob("*.json"))
    asked = [question for file in tries for question in json.loads(file.read_text())]
    assert len(tries) == 2
    # The one answer that the kill kept from being written down.
    assert len(asked) - len(set(asked)) == 1
    assert set(asked) == set(answered(tmp_path / "run"))


@pytest.mark.parametrize("first", ["alone", "shared"])
@pytest.mark.parametrize("then", ["alone", "shared"])
def test_what_one_run_has_asked_another_does_not_ask(first: str, then: str, tmp_path: Path) -> None:
    model = write_session(tmp_path / "kilns.jsonl", "solve")
    folder = tmp_path / "run"

    def go(how: str) -> bool:
        if how == "alone":
            return not generated_alone(folder, model)
        return not generated(folder, model).missing

    with noted_questions() as before:
        assert not go(first)
    assert set(before) == set(answered(folder))
    write_session(tmp_path / "kilns.jsonl")
    with noted_questions() as after:
        assert go(then)
    assert before
    assert after
    assert len(before) + len(after) == len({*before, *after})


def test_why_something_is_missing_is_told(tmp_path: Path) -> None:
    model = write_session(tmp_path / "kilns.jsonl", "solve")
    outcome = generated(tmp_path / "run", model)
    assert outcome.missing == 2
    told = next(line for line in outcome.failures if "kiln_one" in line)
    assert "has no answer for step 'solve'" in told
    prompt = Path(told.partition("the prompt is in ")[2].partition(" (and ")[0])
    assert prompt.read_text("utf-8").startswith("# system")
    write_session(tmp_path / "kilns.jsonl")
    assert not generated(tmp_path / "run", model).missing
    assert not prompt.exists()


def test_a_result_that_began_from_other_records_is_made_anew(model: str, tmp_path: Path) -> None:
    store = tmp_path / "work"
    generated(tmp_path / "other", model, store=store)
    # This run has another state, and no scenario yet.
    session = tmp_path / "kilns.jsonl"
    lines = session.read_text().replace("A week before two firings.", "A week before.")
    states = [line for line in lines.splitlines(keepends=True) if '"write_state"' in line]
    session.write_text("".join(states))
    assert generated_alone(tmp_path / "run", model)
    session.write_text(lines)
    outcome = generated(tmp_path / "run", model, store=store)
    assert (outcome.missing, len(outcome.made)) == (0, 2)


def test_an_item_is_named_by_all_that_decides_it(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        planned(tmp_path / "a", model),
        planned(tmp_path / "b", write_session(tmp_path / "other.jsonl")),
        planned(tmp_path / "c", model, skeletons=[kiln("kiln_three"), kiln("kiln_four")]),
    ]
    monkeypatch.setattr(
        "tests.sweep.synth_runs.GENERATOR", dataclasses.replace(GENERATOR, fewest_records=8)
    )
    others.append(planned(tmp_path / "d", model))
    assert len({item.key for items in others for item in items}) == 8
    # How the work is shared out is not part of it.
    assert {item.key for item in planned(tmp_path / "e", model, workers=2, connections=7)} == {
        item.key for item in others[-1]
    }


def test_a_machine_with_another_release_says_so(model: str, tmp_path: Path) -> None:
    item, _ = planned(tmp_path / "run", model)
    with pytest.raises(UsageError, match="another release of envscaler-eval") as refusal:
        make_environment(
            item.key, {**item.payload, "release": "0" * 32}, Store(str(tmp_path / "work"))
        )
    assert "\n" not in refusal.value.message


def test_workers_share_the_connections(model: str, tmp_path: Path) -> None:
    items = planned(tmp_path / "run", model, workers=3, connections=11)
    assert [item.payload["max_connections"] for item in items] == [3, 3]
    with pytest.raises(UsageError, match="run at most 11 workers, or raise it to 12 or more"):
        planned(tmp_path / "run", model, workers=12, connections=11)


def test_a_model_that_is_an_object_is_refused(tmp_path: Path) -> None:
    with Artefacts(tmp_path) as artefacts, pytest.raises(UsageError, match="by their names"):
        SharedRun(artefacts, Models(Oracle().model), LocalEngine(), Store(str(tmp_path / "work")))
