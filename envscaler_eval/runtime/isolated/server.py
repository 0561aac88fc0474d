"""The host's side of the fork server: asking for workers and talking to them."""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import envscaler_eval
from envscaler_eval.errors import UsageError
from envscaler_eval.runtime.confined.confinement import Role
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.walls import Walls
from envscaler_eval.runtime.confined.wire import Channel, ClosedError
from envscaler_eval.runtime.isolated.worker import Worker, WorkerFault

_START_SECONDS = 60.0
_ANSWER_SECONDS = 30.0
_END_SECONDS = 5.0
_SHORT_FRAMES = 65536


class Server:
    """A fork server that this process has started."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            UsageError: It does not start.
        """
        self._lock = threading.Lock()
        self._owner = os.getpid()
        ours, theirs = socket.socketpair()
        with theirs, tempfile.TemporaryDirectory(prefix="envscaler-") as folder:
            self._process = _launch(theirs.fileno(), folder)
            theirs.close()
            ours.setblocking(False)
            self._control = ours
            self._channel = Channel(ours, _SHORT_FRAMES)
            try:
                self.walls = Walls.of(self._answer(_START_SECONDS))
            except (ClosedError, TimeoutError):
                self._process.kill()
                _, told = self._process.communicate()
                last = (told.decode(errors="replace").strip().splitlines() or ["it is silent"])[-1]
                ours.close()
                raise UsageError(f"the fork server for isolation does not start: {last}") from None
            # The folder goes now: what is left is a working folder without a name.
        assert self._process.stderr is not None
        self._process.stderr.close()

    @property
    def alive(self) -> bool:
        """Whether it serves this very process."""
        return self._owner == os.getpid() and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def fork(self, role: Role, limits: Limits, scratch: bool = False) -> Worker:
        """Fork a worker.

        Args:
            role: What it is for.
            limits: Its bounds.
            scratch: Whether it gets a scratch folder.

        Raises:
            WorkerFault: The machine does not grant it.
        """
        request = {"do": "fork", "role": role, "limits": asdict(limits), "scratch": scratch}
        try:
            ours, theirs = socket.socketpair()
        except OSError as fault:
            raise WorkerFault(f"could not be started: {fault.strerror}") from None
        try:
            with theirs, self._lock:
                socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno()])
                answer = self._answer(_ANSWER_SECONDS)
        except (OSError, ClosedError, TimeoutError):
            ours.close()
            # What it answers late would pass for the answer to the next request.
            self._process.kill()
            raise WorkerFault("could not be started: the fork server is gone") from None
        if "worker" not in answer:
            ours.close()
            raise WorkerFault(f"could not be started: {answer['fault']}")
        return Worker(self, answer["worker"], ours, limits)

    def end(self, worker_id: int) -> int:
        """End a worker and return its wait status; that of a kill when the server is gone."""
        return int(self._tell("end", worker_id).get("status", signal.SIGKILL))

    def drop(self, worker_id: int) -> None:
        """End a worker without waiting for it."""
        self._tell("drop", worker_id)

    def _tell(self, what: str, worker_id: int) -> dict[str, Any]:
        """Request something about a worker; an empty answer when the server is gone."""
        if self._owner != os.getpid():
            return {}
        try:
            with self._lock:
                self._control.send(json.dumps({"do": what, "worker": worker_id}).encode())
                return self._answer(_ANSWER_SECONDS)
        except (OSError, ClosedError, TimeoutError):
            self._process.kill()
            return {}

    def stop(self) -> None:
        """End the server and all its workers."""
        if self._owner == os.getpid():
            self._control.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    def _answer(self, seconds: float) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._channel.receive(time.monotonic() + seconds))
        return answer


def _launch(descriptor: int, folder: str) -> "subprocess.Popen[bytes]":
    """Start the process with nothing of ours but the code and one socket."""
    here = str(Path(envscaler_eval.__file__).parents[1])
    seed = os.environ.get("PYTHONHASHSEED", "random")
    return subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-s",
            "-B",
            "-m",
            "envscaler_eval.runtime.confined.fork_server",
            str(descriptor),
        ],
        env={
            # What we import from, it must import from, however we came by it.
            "PYTHONPATH": os.pathsep.join([here, *filter(None, sys.path)]),
            "PYTHONHASHSEED": "0" if seed == "random" else seed,
            "PYTHONUTF8": "1",
        },
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(descriptor,),
        start_new_session=True,
    )


class SharedServer:
    """The one fork server of this process, started when first needed and replaced
    when it has gone or this process is a fork of the one that started it."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._server: Server | None = None

    def get(self) -> Server:
        """Return a living server."""
        with self._lock:
            if self._server is None or not self._server.alive:
                self._server = Server()
            return self._server

    def stop(self) -> None:
        """End the server, if there is one."""
        with self._lock:
            if self._server is not None:
                self._server.stop()
                self._server = None


@cache
def shared_server() -> SharedServer:
    """Return this process's fork server, which ends with it."""
    shared = SharedServer()
    atexit.register(shared.stop)
    if hasattr(os, "register_at_fork"):
        # A lock that another thread held would never be released in a fork.
        os.register_at_fork(after_in_child=shared_server.cache_clear)
    return shared
