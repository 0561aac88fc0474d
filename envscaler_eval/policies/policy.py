"""What a policy is: a function from what was seen so far to the next turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from envscaler_eval.scenario import ToolCall

DONE = "Task Completed"
"""What EnvScaler's agents say at the end of a non-conversational episode."""


@dataclass(frozen=True)
class Turn:
    """What a policy does at once: call tools, or say something.

    Attributes:
        text: What it says.
        calls: The tools it calls, in order.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class View:
    """What a policy has seen.

    Attributes:
        step: How many turns it has taken.
        heard: What the other side has said, oldest first.
        observations: What its tool calls gave, oldest first.
    """

    step: int
    heard: Sequence[str] = ()
    observations: Sequence[str] = ()


class Policy(Protocol):
    """Chooses the next turn. Without state: the same view gives the same turn."""

    def __call__(self, view: View) -> Turn:
        """Return the next turn."""
        ...


def scripted(*turns: Turn) -> Policy:
    """Return the policy that plays fixed turns and then repeats the last one."""

    def next_turn(view: View) -> Turn:
        return turns[min(view.step, len(turns) - 1)]

    return next_turn
