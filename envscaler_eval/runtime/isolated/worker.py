"""A worker as the host holds it: a process that answers, and may not be believed."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterable
from typing import Protocol

from envscaler_eval.runtime.confined import kernel
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.protocol import DONE, ENDED, REFUSED, TURN_BYTES, UNCONFINED
from envscaler_eval.runtime.confined.wire import Channel, ClosedError, FrameTooLongError

_REASON_CHARACTERS = 300
_OUT_OF_TURN = "spoke without being asked"


class Reaper(Protocol):
    """Who ends workers."""

    def end(self, worker_id: int) -> int:
        """End a worker and return its wait status."""
        ...

    def drop(self, worker_id: int) -> None:
        """End a worker without waiting for it."""
        ...


class WorkerFault(Exception):
    """A worker has ended; the message says why, as a predicate ("ran longer than ...")."""


class WorkerRefusal(Exception):
    """A worker declines to answer and goes on; the message says why."""


class Worker:
    """A process that answers one episode or one judgement."""

    def __init__(self, server: Reaper, worker_id: int, end: socket.socket, limits: Limits) -> None:
        """Hold a worker that was forked.

        Args:
            server: Who forked it.
            worker_id: Its process id.
            end: Our end of its connection.
            limits: Its bounds.
        """
        end.setblocking(False)
        self._server = server
        self._id = worker_id
        # The kind and the number of an answer come on top.
        self._channel = Channel(end, limits.message_bytes + 1 + TURN_BYTES)
        self._limits = limits
        self._turn = 0
        # Ending must not wait for an answer, and closing must not pull the
        # descriptor from under someone who does.
        self._ending = threading.Lock()
        self._asking = threading.RLock()
        self._status: int | None = None

    @property
    def ended(self) -> bool:
        """Whether it has been ended."""
        return self._status is not None

    def ask(self, frames: Iterable[bytes], seconds: float, cpu_seconds: float) -> bytes:
        """Send frames and return the answer.

        Args:
            frames: The request.
            seconds: How long to wait for the answer.
            cpu_seconds: How much processor time the worker has for it.

        Raises:
            WorkerFault: The worker has died, is too slow, says too much or speaks
                out of turn. It has ended.
            WorkerRefusal: It has no answer.
        """
        with self._asking:
            if self.ended:
                # Its descriptor may be another's by now.
                raise WorkerFault("has been closed")
            return self._read(self._converse(frames, seconds, cpu_seconds))

    def _converse(self, frames: Iterable[bytes], seconds: float, cpu_seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        self._turn += 1
        try:
            if self._channel.speaks_unasked():
                raise self._fault(_OUT_OF_TURN)
            used_before = self._cpu_clock()
            for frame in frames:
                self._channel.send(frame, deadline)
            rest = cpu_seconds
            while True:
                try:
                    return self._channel.receive(min(deadline, time.monotonic() + rest))
                except TimeoutError:
                    # Looked at only when an answer is late: the clock is ours, so
                    # that no program can stop it, and costs a call nothing.
                    rest = cpu_seconds - (self._cpu_clock() - used_before)
                    if rest <= 0:
                        raise self._fault(
                            f"used more than {cpu_seconds:g} s of processor time"
                        ) from None
                    if time.monotonic() >= deadline:
                        raise
        except TimeoutError:
            raise self._fault(f"ran longer than {seconds:g} s") from None
        except FrameTooLongError:
            raise self._fault(f"answered with more than {self._limits.message_mib:g} MiB") from None
        except (ClosedError, OSError):
            raise WorkerFault(self._death(self.end())) from None

    def _fault(self, reason: str) -> WorkerFault:
        """End the worker and return the fault that says why."""
        self.end()
        return WorkerFault(reason)

    def _cpu_clock(self) -> float:
        """The processor time that the worker has used, in seconds; 0 where it cannot be read."""
        if not kernel.is_linux():
            return 0.0
        try:
            return time.clock_gettime(kernel.cpu_clock_of(self._id))
        except OSError:
            return 0.0

    def _read(self, answer: bytes) -> bytes:
        kind, turn, body = answer[:1], answer[1 : 1 + TURN_BYTES], answer[1 + TURN_BYTES :]
        if int.from_bytes(turn, "little") != self._turn:
            raise self._fault(_OUT_OF_TURN)
        if kind == DONE:
            return body
        reason = " ".join(body[: 4 * _REASON_CHARACTERS].decode(errors="replace").split())
        if kind == REFUSED:
            raise WorkerRefusal(reason[:_REASON_CHARACTERS])
        raise self._fault(
            reason[:_REASON_CHARACTERS] if kind == ENDED else "sent what no one can read"
        )

    def _death(self, status: int) -> str:
        if os.WIFEXITED(status):
            code = os.WEXITSTATUS(status)
            return "could not be confined" if code == UNCONFINED else f"exited with status {code}"
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return f"used more than {self._limits.episode_cpu_seconds:g} s of processor time in all"
        if number == signal.SIGKILL:
            return "was killed from outside, perhaps for want of memory, or hung up"
        return f"died of {signal.Signals(number).name}"

    def end(self) -> int:
        """End the worker, if it has not ended, and return its wait status.

        Safe to call from any thread, also while another one waits for an answer.
        """
        with self._ending:
            if self._status is None:
                self._status = self._server.end(self._id)
        with self._asking:
            self._channel.close()
        return self._status

    def drop(self) -> None:
        """End the worker without waiting for it. May be called twice, and by any thread."""
        with self._ending:
            if self._status is None:
                self._status = int(signal.SIGKILL)
                self._server.drop(self._id)
        with self._asking:
            self._channel.close()
