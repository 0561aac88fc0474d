"""Difficulty, from the length and the branching of a solution."""

import pytest

from envscaler_eval.difficulty import difficulty
from envscaler_eval.scenario import ToolCall


def _solution(calls: int, tools: int) -> list[ToolCall]:
    return [ToolCall(name=f"tool_{number % tools}") for number in range(calls)]


@pytest.mark.parametrize(
    ("calls", "tools", "expected"),
    [
        (3, 3, "easy"),
        (5, 5, "easy"),
        (6, 6, "medium"),
        (10, 10, "medium"),
        (11, 8, "medium"),
        (11, 9, "hard"),
        (15, 4, "medium"),
        (16, 4, "hard"),
    ],
)
def test_long_or_branching_solutions_are_hard(calls: int, tools: int, expected: str) -> None:
    assert difficulty(_solution(calls, tools)) == expected
