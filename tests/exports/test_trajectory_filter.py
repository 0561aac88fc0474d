"""Which trajectories are kept, and what is said of the others."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput

from envscaler_eval.exports.trajectories import LoggedTrajectory
from envscaler_eval.exports.trajectory_filter import KEPT, PAPER_TURNS, TrajectoryFilter
from envscaler_eval.solvers.protocol import Mode
from envscaler_eval.solvers.record import UserFaultEntry, UserRecord
from envscaler_eval.solvers.user_faults import UserFaultKind
from tests.exports.attempts import WELL_DONE, a_log, trajectories
from tests.inspect_runs import TAKE, call, say
from tests.pack_files import a_scenario


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> LoggedTrajectory:
    """A trajectory with nothing against it."""
    (found,) = trajectories(a_log(tmp_path_factory.mktemp("good")))
    return found


def _recorded(trajectory: LoggedTrajectory, **changes: Any) -> LoggedTrajectory:
    assert trajectory.record is not None
    record = trajectory.record.model_copy(update=changes)
    return dataclasses.replace(trajectory, record=record)


def _saying(trajectory: LoggedTrajectory, *more: Any) -> LoggedTrajectory:
    return dataclasses.replace(trajectory, messages=[*trajectory.messages, *more])


def test_a_good_trajectory_is_kept(good: LoggedTrajectory) -> None:
    assert TrajectoryFilter().verdict(good) == KEPT
    assert TrajectoryFilter(reasoning=True, turns=PAPER_TURNS).verdict(good) == KEPT


@pytest.mark.parametrize("ended_by", ["step_limit", "token_limit", "error", "cancelled"])
def test_what_nobody_ended_is_dropped(good: LoggedTrajectory, ended_by: str) -> None:
    cut = _recorded(good, ended_by=ended_by)
    assert TrajectoryFilter().verdict(cut) == f"ended by {ended_by}"
    assert TrajectoryFilter(proper_ending=False).verdict(cut) == KEPT


@pytest.mark.parametrize("kind", ["premature_stop", "whole_request", "foreign_fact"])
def test_a_faulty_user_is_told_from_a_faulty_agent(
    good: LoggedTrajectory, kind: UserFaultKind
) -> None:
    fault = UserFaultEntry(kind=kind, turn=2, detail="")
    user = UserRecord(model="m", strategy="llm", temperature=None, faults=[fault])
    assert TrajectoryFilter().verdict(_recorded(good, user=user)) == f"simulated user: {kind}"
    assert TrajectoryFilter(sound_user=False).verdict(_recorded(good, user=user)) == KEPT
    ended = _recorded(good, user=user, ended_by="user_fault")
    assert TrajectoryFilter().verdict(ended) == f"simulated user: {kind}"


def test_a_reply_of_the_user_that_the_agent_never_saw_is_no_fault(good: LoggedTrajectory) -> None:
    fault = UserFaultEntry(kind="empty", turn=2, detail="")
    user = UserRecord(model="m", strategy="llm", temperature=None, faults=[fault])
    assert TrajectoryFilter().verdict(_recorded(good, user=user)) == KEPT
    ended = _recorded(good, user=user, ended_by="user_fault")
    assert TrajectoryFilter().verdict(ended) == "simulated user: user_fault"


def test_an_environment_that_broke_down_leaves_no_episode(good: LoggedTrajectory) -> None:
    broken = _recorded(good, breakdown="it died", ended_by="completed")
    assert TrajectoryFilter(min_reward=0).verdict(broken) == "error, no episode"


@pytest.mark.parametrize("kind", ["malformed", "unknown"])
def test_calls_that_are_none_are_invalid_format(good: LoggedTrajectory, kind: str) -> None:
    broken = _recorded(good, tool_errors={kind: 1})
    assert TrajectoryFilter().verdict(broken) == "invalid format"
    assert TrajectoryFilter(valid_format=False).verdict(broken) == KEPT


def test_a_call_that_a_tool_refuses_is_no_fault_of_format(good: LoggedTrajectory) -> None:
    refused = _recorded(good, tool_errors={"failed": 2, "invalid": 1})
    assert TrajectoryFilter().verdict(refused) == KEPT


def test_an_empty_turn_and_an_unreadable_call_are_invalid_format(good: LoggedTrajectory) -> None:
    empty = _saying(good, ChatMessageAssistant(content=" "))
    garbled = call("take_item", parse_error="no JSON")
    unreadable = _saying(good, ChatMessageAssistant(content="", tool_calls=[garbled]))
    assert TrajectoryFilter().verdict(empty) == "invalid format"
    assert TrajectoryFilter().verdict(unreadable) == "invalid format"


def test_reasoning_can_be_asked_for_in_every_turn(good: LoggedTrajectory) -> None:
    silent = _saying(good, ChatMessageAssistant(content="Done."))
    assert TrajectoryFilter().verdict(silent) == KEPT
    assert TrajectoryFilter(reasoning=True).verdict(silent) == "turn without reasoning"


def test_the_number_of_turns_has_a_range_for_each_mode(good: LoggedTrajectory) -> None:
    three_turns: dict[Mode, tuple[int, int]] = {"non_conv": (3, 3), "conv": (9, 9)}
    assert TrajectoryFilter(turns=three_turns).verdict(good) == KEPT
    assert TrajectoryFilter(turns={"non_conv": (4, 9)}).verdict(good) == "too short"
    assert TrajectoryFilter(turns={"non_conv": (1, 2)}).verdict(good) == "too long"
    talking = dataclasses.replace(good, mode="conv")
    assert TrajectoryFilter(turns=three_turns).verdict(talking) == "too short"


def test_the_reward_decides_last(good: LoggedTrajectory) -> None:
    half = dataclasses.replace(good, scores={"reward": 0.5})
    assert TrajectoryFilter().verdict(half) == "reward below 1"
    assert TrajectoryFilter(min_reward=0.5).verdict(half) == KEPT
    assert TrajectoryFilter(min_reward=0.75).verdict(half) == "reward below 0.75"


def test_what_is_not_graded_is_kept_unless_asked_otherwise(good: LoggedTrajectory) -> None:
    ungraded = dataclasses.replace(good, scores={})
    assert TrajectoryFilter().verdict(ungraded) == KEPT
    assert TrajectoryFilter(ungraded=False).verdict(ungraded) == "not graded"


def test_logs_show_each_of_these(tmp_path: Path) -> None:
    """One run, in which the model does in each room what the room's task says."""
    verdicts = {
        "Take bolts for ever.": "ended by step_limit",
        "Fly.": "invalid format",
        "Lose the provider.": "error, no episode",
        "Do as usual. Then stop.": KEPT,
    }

    def reply(messages: Sequence[ChatMessage]) -> ModelOutput:
        task, turn = messages[1].text, sum(m.role == "assistant" for m in messages)
        if task.startswith("Lose"):
            raise RuntimeError("the provider is down")
        if task.startswith("Take"):
            return say("", TAKE)
        if task.startswith("Fly"):
            return say("", call("fly")) if turn == 0 else say("Task Completed")
        return WELL_DONE[turn]

    packs = {
        f"room_{number}": {"scenarios": [a_scenario(task=task)]}
        for number, task in enumerate(verdicts)
    }
    logs = a_log(tmp_path, reply, packs=packs, step_limit=3, eval_fail_on_error=False)
    found = {t.env: TrajectoryFilter(min_reward=0).verdict(t) for t in trajectories(logs)}
    assert found == dict(zip(packs, verdicts.values(), strict=True))
