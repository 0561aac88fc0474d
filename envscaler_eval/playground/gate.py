"""A gate before each turn of an agent or a user: it waits, lets pass, or lets a person play.

The loop is the project's own. A `GatedModel` is what plays in it, and asks the gate who is
to make the turn at hand: the model behind it, or a person.
"""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import anyio.to_thread

from envscaler_eval.playground.worker import Report

Role = Literal["agent", "user"]


@dataclass(frozen=True)
class PersonsTurn:
    """What a person does in the place of a model.

    Attributes:
        role: In whose place they do it.
        text: What they say; with a call, nothing.
        call: The tool that they call and its arguments, if any.
    """

    role: Role
    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None


class Gate:
    """Who makes the next turn, and when. Orders come from another thread."""

    def __init__(self, report: Report, pace: float, taken: frozenset[Role] = frozenset()) -> None:
        """Let the models play.

        Args:
            report: Is told what is waited for.
            pace: How many seconds a turn takes at least, for people to follow.
            taken: The roles that a person plays from the start.
        """
        self._report = report
        self._pace = pace
        self._changed = threading.Condition()
        self._taken: set[Role] = set(taken)
        self._paused = False
        self._single = False
        self._said: PersonsTurn | None = None
        self._last = time.monotonic()

    def order(self, order: Mapping[str, Any]) -> None:
        """Take an order: `pause`, `run`, `step`, `take`, `give`, `pace` or `turn`."""
        with self._changed:
            match order.get("order"):
                case "pause":
                    self._paused, self._single = True, False
                case "run":
                    self._paused = False
                case "step":
                    self._paused = self._single = True
                case "pace":
                    self._pace = float(order["seconds"])
                case "take":
                    self._taken.add(order["role"])
                case "give":
                    self._taken.discard(order["role"])
                case "turn":
                    call = order.get("call")
                    text = str(order.get("text", ""))
                    made = (call[0], call[1]) if call else None
                    self._said = PersonsTurn(order["role"], text, made)
            self._changed.notify_all()

    async def turn(self, role: Role) -> PersonsTurn | None:
        """Wait until a turn may be made; return what a person does, or `None` for the model.

        Args:
            role: Whose turn it is.
        """
        return await anyio.to_thread.run_sync(lambda: self._turn(role), abandon_on_cancel=True)

    def _turn(self, role: Role) -> PersonsTurn | None:
        with self._changed:
            told = ""
            self._said = None
            while True:
                said, self._said = self._said, None
                if role in self._taken:
                    # What was said in another's place was meant for a turn that is over.
                    if said is not None and said.role == role:
                        self._last = time.monotonic()
                        return said
                    waits, left = "person", None
                elif self._paused and not self._single:
                    waits, left = "step", None
                else:
                    left = self._last + self._pace - time.monotonic()
                    if self._single or left <= 0:
                        self._single = False
                        self._last = time.monotonic()
                        self._report({"event": "acts", "role": role})
                        return None
                    waits = "pace"
                if waits != told:
                    self._report({"event": "waits", "role": role, "for": waits})
                    told = waits
                self._changed.wait(left)
