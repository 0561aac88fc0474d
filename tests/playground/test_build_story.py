"""The story of a build, told from a run of the recorded session."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.playground.build_items import BuildItem, changed_lines
from envscaler_eval.playground.build_story import BuildStory
from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.small_build import build_small, recorded_session, recorded_tasks

Event = Mapping[str, Any]

# What ships has been read, and isolation takes three times as long.
TRUSTED = IsolationPolicy("in_process")


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """What a real run reports, but for the audit of the pack."""
    from envscaler_eval.playground.build_worker import Teller

    told: list[Event] = []
    with recorded_session() as session:
        tasks = recorded_tasks(session)
        told.append({"event": "begun", "tasks": [{"id": t.id, "text": t.text} for t in tasks]})
        with Artefacts(tmp_path_factory.mktemp("run")) as artefacts:
            run = Run(artefacts, Models(f"session/{session}"), watcher=Teller(told.append))
            asyncio.run(build_small(run, tasks, TRUSTED))
    return told


def _story(events: list[Event]) -> BuildStory:
    story = BuildStory()
    for event in events:
        story.take(event)
    return story


@pytest.fixture
def story(events: list[Event]) -> BuildStory:
    """The story of all of it."""
    return _story(events)


def _titled(story: BuildStory, start: str) -> list[BuildItem]:
    return [item for item in story.items if item.title.startswith(start)]


def test_each_part_of_the_way_is_told_with_what_came_of_it(story: BuildStory) -> None:
    told = {chapter.name: (chapter.state, chapter.note) for chapter in story.chapters}
    assert told == {
        "Requests": ("done", "1 kept, 5 set aside"),
        "Plan": ("done", "1 kept"),
        "Code": ("done", "1 kept"),
        "Inspection": ("done", "1 kept"),
        "Scenarios": ("done", "5 kept"),
        "Solutions": ("done", "4 kept, 1 set aside"),
        "Proofs": ("done", "4 kept"),
        "Audit": ("waiting", ""),
    }


def test_a_part_is_at_work_from_its_first_item_to_its_last(events: list[Event]) -> None:
    story = BuildStory()
    seen: dict[str, list[str]] = {}
    for event in events:
        story.take(event)
        for chapter in story.chapters:
            states = seen.setdefault(chapter.name, [])
            if states[-1:] != [chapter.state]:
                states.append(chapter.state)
    assert seen["Plan"] == ["waiting", "working", "done"]
    assert seen["Inspection"] == ["waiting", "working", "done"]
    assert seen["Audit"] == ["waiting"]


def test_verdicts_come_before_the_program_is_kept_and_the_failed_ones_are_marked(
    story: BuildStory,
) -> None:
    titles = [item.title for item in story.items]
    inspected = [at for at, title in enumerate(titles) if title.startswith("Inspection:")]
    kept = titles.index("The program is kept")
    (repaired,) = (at for at, title in enumerate(titles) if title.startswith("Repair 1"))
    tests = [at for at, item in enumerate(story.items) if item.kind == "tests"]
    assert min(tests) < inspected[0] < repaired < inspected[1] < kept
    failed = [item for item in story.items if item.kind == "tests" and item.mark == "bad"]
    assert failed
    assert all(
        any(test["verdict"] == "fail" and test["reason"] for test in item.content["tests"])
        for item in failed
    )


def test_a_tool_that_a_repair_left_alone_is_told_once(story: BuildStory) -> None:
    titles = [item.title for item in story.items if item.kind == "tests"]
    assert len(titles) == len(set(titles))


def test_the_repaired_lines_are_those_of_the_program(story: BuildStory) -> None:
    (repair,) = _titled(story, "Repair 1")
    added = [line for sign, line in repair.content["lines"] if sign == "+" and line.strip()]
    (first,) = (item.content["source"] for item in story.items if item.kind == "source")
    assert added
    assert story.repairs == 1
    assert story.source != first
    assert all(line in story.source.splitlines() for line in added)


def test_a_scenario_that_was_given_up_says_why(story: BuildStory) -> None:
    rejected = [one for one in story.scenarios.values() if one.state == "rejected"]
    assert [one.state for one in story.scenarios.values()].count("proven") == 4
    assert len(rejected) == 1
    assert "Luc Moreau has not paid" in rejected[0].reason
    assert any("Luc Moreau" in item.text for item in _titled(story, "Rejected:"))


def test_answers_are_counted_with_their_tokens_and_those_asked_again(
    story: BuildStory, events: list[Event]
) -> None:
    assert story.spending.answers == sum(event["event"] == "answered" for event in events)
    assert story.spending.output_tokens > 5000
    assert story.reasks == len(_titled(story, "Asked again")) > 0


@pytest.mark.parametrize("at", [0, 5, 40])
def test_a_build_that_breaks_off_says_so_where_it_was(events: list[Event], at: int) -> None:
    story = _story(events[:at])
    story.fail("it took longer than 60 minutes")
    story.fail("its process ended without a word")
    assert story.now == "It failed: it took longer than 60 minutes"
    assert story.zip is None
    assert "working" not in {chapter.state for chapter in story.chapters}


def test_no_pack_is_told_as_such(events: list[Event]) -> None:
    story = _story([*events, {"event": "ended", "pack": None, "unfinished": "no quota"}])
    assert story.now == "No pack came of it; the story says why. Unfinished: no quota"


def test_only_what_is_near_a_change_is_shown_of_a_program() -> None:
    before = "\n".join(f"line {number}" for number in range(40))
    lines = list(changed_lines(before, before.replace("line 20", "line twenty")))
    assert lines == [
        ("@", ""),
        (" ", "line 18"),
        (" ", "line 19"),
        ("-", "line 20"),
        ("+", "line twenty"),
        (" ", "line 21"),
        (" ", "line 22"),
    ]
    assert list(changed_lines(before, before)) == []


def test_a_model_that_does_not_exist_is_told_in_a_line(tmp_path: Path) -> None:
    from envscaler_eval.playground.build_worker import build

    told: list[Event] = []
    setting = {"idea": "Lend me a book.", "model": "nowhere/model", "folder": str(tmp_path),
               "allow_weak_isolation": True}  # fmt: skip
    with pytest.raises(UsageError, match=r"role .miner.: .*; give --model"):
        build(setting, told.append)
    assert told[0]["event"] == "begun"
