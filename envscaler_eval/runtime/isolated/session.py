"""A session whose environment lives in a worker."""

from __future__ import annotations

import contextlib
import json
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envscaler_eval.runtime.confined.encoding import DecodeError, decode, encode
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.isolated.worker import Worker, WorkerFault, WorkerRefusal
from envscaler_eval.runtime.runtime import EnvironmentFault, Judgement, Outcome
from envscaler_eval.state import State

if TYPE_CHECKING:
    from envscaler_eval.scenario import Check

JudgeState = Callable[[Sequence["Check"], bytes, bytes], Judgement]
"""Judges by checks, over what the program held at its start beside the
scenario's state and over its final state, both encoded."""


class IsolatedSession:
    """A live instance in a worker.

    A worker that breaks a limit or dies ends the episode for good: the call at
    hand and all later ones observe the reason, and the state can no longer be
    read or judged.
    """

    def __init__(
        self,
        environment_id: str,
        worker: Worker,
        frames: Sequence[bytes],
        limits: Limits,
        judge: JudgeState,
        lines: set[int] | None = None,
    ) -> None:
        """Start the environment in the worker.

        Args:
            environment_id: What to call it.
            worker: A fresh worker.
            frames: The program and the initial state, for the worker.
            limits: The bounds of a call.
            judge: How to judge.
            lines: Where the lines that have run are put on closing.

        Raises:
            EnvironmentFault: The program does not start.
        """
        self._name = environment_id
        self._worker = worker
        self._budget = limits.call_seconds, limits.call_cpu_seconds
        self._judge = judge
        self._lines = lines
        self._turn = threading.Lock()
        self._reason: str | None = None
        # An episode that is dropped without being closed leaves no process.
        self._end = weakref.finalize(self, worker.drop)
        self._own: bytes | None = None
        self._own_fault = ""
        try:
            self._own = worker.ask(frames, *self._budget)
        except WorkerRefusal as fault:
            # As in process, what cannot be judged can be called all the same.
            self._own_fault = str(fault)
        except WorkerFault as fault:
            self.close()
            raise EnvironmentFault(_does_not_start(environment_id, str(fault))) from None

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool; see `Session.call`."""
        with self._turn:
            if self._reason is None:
                try:
                    request = encode({"name": name, "arguments": dict(arguments)})
                    return _outcome(self._worker.ask([request], *self._budget))
                except (WorkerFault, WorkerRefusal) as fault:
                    self._stop(f"{name} {fault}")
            return Outcome(
                json.dumps(
                    {"success": False, "error": f"The system has stopped: {self._reason}"},
                    ensure_ascii=False,
                ),
                "raised",
            )

    def state(self) -> State:
        """Return a copy of the current state.

        Raises:
            EnvironmentFault: The worker has ended, or the state has no plain form.
        """
        try:
            state = decode(self._export())
        except DecodeError as fault:
            raise EnvironmentFault(f"the state cannot be read: {fault}") from None
        if not isinstance(state, dict):
            raise EnvironmentFault("the state cannot be read: it is no mapping")
        return state

    def judge(self, checks: Sequence[Check]) -> Judgement:
        """Run the checks in another worker; see `Session.judge`."""
        final = self._export()
        if self._own is None:
            raise EnvironmentFault(f"the final state cannot be judged: {self._own_fault}")
        return self._judge(checks, self._own, final)

    def close(self) -> None:
        """End the worker."""
        if self._lines is not None and self._reason is None and self._end.alive:
            with contextlib.suppress(WorkerFault, WorkerRefusal):
                answer = self._worker.ask([encode({"lines": True})], *self._budget)
                self._lines |= _line_numbers(answer)
        self._end()

    def _export(self) -> bytes:
        with self._turn:
            if self._reason is None:
                try:
                    return self._worker.ask([encode({"export": True})], *self._budget)
                except WorkerRefusal as fault:
                    raise EnvironmentFault(f"the final state cannot be judged: {fault}") from None
                except WorkerFault as fault:
                    self._stop(f"handing out the state {fault}")
            raise EnvironmentFault(f"environment '{self._name}' has stopped: {self._reason}")

    def _stop(self, reason: str) -> None:
        self._reason = reason
        self._worker.end()


def _does_not_start(environment_id: str, reason: str) -> str:
    prefix = f"environment '{environment_id}' does not start: "
    return prefix + reason.removeprefix(prefix)


def _line_numbers(answer: bytes) -> set[int]:
    """Read line numbers, whose form no one vouches for."""
    try:
        numbers = decode(answer)
    except DecodeError:
        return set()
    told = numbers if isinstance(numbers, list) else []
    return {number for number in told if type(number) is int}


def _outcome(answer: bytes) -> Outcome:
    """Read an answer, whose form no one vouches for.

    Raises:
        WorkerFault: It is no outcome of a call.
    """
    try:
        match decode(answer):
            case {
                "observation": str() as observation,
                "status": ("ok" | "failed" | "raised") as status,
            }:
                return Outcome(observation, status)
    except DecodeError:
        pass
    raise WorkerFault("sent what no one can read")
