"""Scores are counted as upstream counts them, laxities included."""

from dataclasses import replace
from typing import Any

import pytest

from envscaler_eval.benchmarks.acebench.scoring import (
    Score,
    count_matched,
    ends_right,
    score,
    summarise,
)


@pytest.mark.parametrize(
    ("expected", "reached", "right"),
    [
        ([{"A": {"x": 1}}], [{"A": {"x": 1}}], True),
        ([{"A": {"x": 1}}], [{"A": {"x": 2}}], False),
        ([{"A": {"x": 1}}], [], False),
        ([{"A": {"x": 1, "y": 2}}], [{"A": {"x": 1}}], True),
        ([{"A": {"x": 1}}], [{"A": {"x": 1, "y": 2}}], False),
        ([{"A": {"x": {"k": 1}}}], [{"A": {"x": {"k": 1, "extra": 2}}}], True),
        ([{"A": {"x": {"k": 1, "l": 2}}}], [{"A": {"x": {"k": 1}}}], False),
        ([{"A": {"x": {"k": {"m": 1}}}}], [{"A": {"x": {"k": {"m": 1, "n": 2}}}}], False),
        ([{"A": {"x": [1, 2]}}], [{"A": {"x": [2, 1]}}], False),
        ([{"A": {"x": 1.0}}], [{"A": {"x": 1}}], True),
        ([{"Typo": {"x": 1}}], [{"A": {"x": 2}}], True),
        ([{"A": {"x": 1}}, {"Typo": {}}], [{"A": {"x": 2}}, {"B": {}}], False),
        ([{"B": {"x": 1}}, {"A": {"x": 1}}], [{"A": {"x": 1}}, {"B": {"x": 1}}], True),
    ],
)
def test_end_states_are_compared(expected: Any, reached: Any, right: bool) -> None:
    assert ends_right(expected, reached) is right


@pytest.mark.parametrize(
    ("process", "matched"),
    [
        (["a", "b", "c"], 3),
        (["x", "a", "x", "b", " c "], 3),
        (["a", "c"], 1),
        (["b", "a", "c"], 1),
        (["c", "b", "a"], 1),
        (["b", "c"], 0),
        (["A", "b", "c"], 0),
        ([], 0),
    ],
)
def test_milestones_count_in_order_until_one_is_missed(process: list[str], matched: int) -> None:
    assert count_matched(["a", " b", "c"], process) == matched


def test_the_best_alternative_counts_and_is_rounded(miniature: Any) -> None:
    task = miniature("en").task("agent_multi_step_1")
    login = task.alternatives[0][0]
    scored = score(task, [], [login])
    assert (scored.process, scored.matched, scored.milestones) == (0.5, 1, 2)
    scored = score(task, [], ["[login_device(), turn_on_wifi()]", login, "no order"])
    assert (scored.process, scored.matched, scored.milestones) == (0.667, 2, 3)


def test_a_single_list_is_not_rounded_and_a_right_end_counts_in_full(miniature: Any) -> None:
    task = miniature("en").task("agent_multi_step_0")
    task = replace(task, milestones=["a", "b", "c"])
    assert score(task, [], ["a"]) == Score(False, 1 / 3, 1, 3)
    assert score(task, task.ground_truth, []) == Score(True, 1.0, 0, 3)


def test_the_official_mean_is_over_kinds_and_the_micro_mean_over_tasks() -> None:
    right, wrong = Score(True, 1.0, 1, 1), Score(False, 1 / 3, 1, 3)
    summary = summarise(
        [
            ("multi_turn", right),
            ("multi_turn", right),
            ("multi_turn", wrong),
            ("multi_step", wrong),
        ]
    )
    assert list(summary.end_to_end.items()) == [("multi_step", 0.0), ("multi_turn", 0.667)]
    assert summary.process == {"multi_step": 0.333, "multi_turn": 0.778}
    assert summary.runs == {"multi_step": 1, "multi_turn": 3}
    assert summary.macro == 0.334  # of the rounded accuracies, as upstream's table has it
    assert summary.micro == 0.5


def test_one_kind_alone_is_its_own_mean() -> None:
    assert summarise([("multi_step", Score(True, 1.0, 1, 1))]).macro == 1.0
    with pytest.raises(ValueError, match="no scores"):
        summarise([])
