"""What is said and done in an episode, one item after the other, for people to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from envscaler_eval.playground.differences import Difference
from envscaler_eval.scenario import ToolCall

ItemKind = Literal["system", "user", "agent", "observation", "note"]


@dataclass(frozen=True)
class Item:
    """Something that was said, done or seen.

    Attributes:
        kind: Who or what it comes from.
        text: What was said, or what a tool answered.
        by: Which model or person it was, where that is known.
        calls: The calls of an agent's turn.
        tool: For an observation, the tool.
        status: For an observation, how the call went; empty where no call was made of it.
        differences: What changed in the state; `None` where nothing was called.
    """

    kind: ItemKind
    text: str
    by: str = ""
    calls: Sequence[ToolCall] = ()
    tool: str = ""
    status: str = ""
    differences: Sequence[Difference] | None = None
