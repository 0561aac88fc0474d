"""How hard a scenario is, by what its reference solution takes."""

from collections.abc import Sequence
from typing import Literal

from envscaler_eval.scenario import ToolCall

Difficulty = Literal["easy", "medium", "hard"]

EASY_CALLS = 5
LONG_CALLS = 15
BRANCHING_CALLS = 10
BRANCHING_TOOLS = 9


def difficulty(solution: Sequence[ToolCall]) -> Difficulty:
    """Grade a solution by its length and by how many tools it has to choose between.

    Args:
        solution: The calls of the reference solution.

    Returns:
        `easy` up to 5 calls; `hard` for more than 15, or for more than 10 with at
        least 9 different tools; else `medium`.
    """
    calls, tools = len(solution), len({call.name for call in solution})
    if calls <= EASY_CALLS:
        return "easy"
    branching = calls > BRANCHING_CALLS and tools >= BRANCHING_TOOLS
    return "hard" if calls > LONG_CALLS or branching else "medium"
