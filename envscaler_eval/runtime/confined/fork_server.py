"""The process that workers are forked from: warm, single-threaded and clean.

Started by the host with an empty environment and folder. It has imported what a
worker needs and never runs a program or a check itself. It ends when the host's
end of its socket closes, however the host ends, and takes its workers along.
"""

import contextlib
import gc
import importlib
import json
import os
import platform
import resource
import select
import signal
import socket
import sys
from typing import Any

from envscaler_eval.runtime.confined import judge, kernel, landlock, namespaces, seccomp, worker
from envscaler_eval.runtime.confined.confinement import (
    Ground,
    Role,
    confine,
    denied_here,
    die_with,
)
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.modules import PRELOADED
from envscaler_eval.runtime.confined.protocol import BROKEN, UNCONFINED
from envscaler_eval.runtime.confined.walls import Walls
from envscaler_eval.runtime.confined.wire import Channel, ClosedError

REQUEST_BYTES = 65536


_REAP_MILLISECONDS = 20


class ForkServer:
    """Forks workers on request of the host and reaps them."""

    def __init__(self, control: socket.socket, ground: Ground) -> None:
        """Serve one host.

        Args:
            control: The connection to the host.
            ground: What forks stand on.
        """
        self._control = control
        self._channel = Channel(control)
        self._ground = ground
        self._pid = os.getpid()
        self._workers: set[int] = set()
        self._dying: set[int] = set()
        self._requests = select.poll()
        self._requests.register(control, select.POLLIN)

    def run(self, walls: Walls) -> None:
        """Say what protections there are, then answer requests until the host is gone."""
        try:
            self._answer(walls.as_report())
            while True:
                while self._dying and not self._requests.poll(_REAP_MILLISECONDS):
                    self._reap()
                request, descriptors, _, _ = socket.recv_fds(self._control, REQUEST_BYTES, 1)
                if not request:
                    break
                self._answer(self._obey(json.loads(request), descriptors))
                self._reap()
        except (ClosedError, ConnectionError):
            pass
        finally:
            for worker_id in list(self._workers):
                self._end(worker_id)

    def _answer(self, answer: dict[str, Any]) -> None:
        self._channel.send(json.dumps(answer).encode())

    def _obey(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        if request["do"] == "end":
            return self._end(request["worker"])
        if request["do"] == "drop":
            return self._drop(request["worker"])
        try:
            return {"worker": self._fork(request, descriptors[0])}
        except OSError as fault:
            return {"fault": str(fault)}
        finally:
            os.close(descriptors[0])

    def _fork(self, request: dict[str, Any], descriptor: int) -> int:
        child = kernel.fork()
        if child == 0:
            status = BROKEN
            try:
                status = self._become_worker(request, descriptor)
            finally:
                os._exit(status)
        self._workers.add(child)
        return child

    def _become_worker(self, request: dict[str, Any], descriptor: int) -> int:
        self._control.close()
        channel = Channel(socket.socket(fileno=descriptor))
        role: Role = request["role"]
        limits = Limits(**request["limits"])
        try:
            die_with(self._pid)
            confine(self._ground, role, limits, request["scratch"])
        except OSError:
            return UNCONFINED
        gc.enable()
        with contextlib.suppress(ClosedError):
            serve = worker.serve if role == "tools" else judge.serve
            serve(channel, limits)
        return 0

    def _end(self, worker_id: int) -> dict[str, Any]:
        """End a worker if it still runs, and say how it went."""
        if worker_id not in self._workers:
            return {"status": 0}
        self._workers.remove(worker_id)
        # A process that has begun to exit keeps its status.
        os.kill(worker_id, signal.SIGKILL)
        _, status, _ = os.wait4(worker_id, 0)
        return {"status": status}

    def _drop(self, worker_id: int) -> dict[str, Any]:
        """End a worker of which nobody wants to know how it went."""
        if worker_id in self._workers:
            self._workers.remove(worker_id)
            self._dying.add(worker_id)
            os.kill(worker_id, signal.SIGKILL)
        return {}

    def _reap(self) -> None:
        self._dying = {dying for dying in self._dying if os.waitpid(dying, os.WNOHANG)[0] == 0}


def _survey(ground: Ground, unprivileged: bool) -> Walls:
    """Confine a fork and let it try the walls."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            confine(ground, "tools", Limits(), scratch=False)
            os.write(writing, " ".join(denied_here()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    denied = os.read(reading, REQUEST_BYTES).decode().split()
    os.close(reading)
    os.waitpid(child, 0)
    return Walls.of(
        {
            "system": f"{platform.system()} {platform.release()} {kernel.machine()}",
            "landlock_abi": ground.landlock_abi,
            "seccomp": bool(ground.filters),
            "no_new_privs": _gain_no_privileges(),
            "namespaces": ground.namespaces,
            "unprivileged": unprivileged,
            "dies_with_parent": kernel.is_linux(),
            "denied": denied,
        }
    )


def _gain_no_privileges() -> bool:
    if not kernel.is_linux():
        return False
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    return kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS) == 1


def _filters() -> dict[seccomp.Profile, bytes]:
    """Return the filters that this kernel takes, all or none."""
    filters: dict[seccomp.Profile, bytes] = {}
    for profile in seccomp.PROFILES:
        program = seccomp.filter_of(profile)
        if program is None:
            return {}
        filters[profile] = program
    child = os.fork()
    if child == 0:
        status = 1
        try:
            seccomp.install(filters["compute"])
            status = 0
        finally:
            os._exit(status)
    return filters if os.waitpid(child, 0)[1] == 0 else {}


def _preload() -> None:
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _leave_the_host_behind() -> None:
    """Forget the environment and standard streams, and ignore the terminal's Ctrl-C.

    The host decides when to end; a Ctrl-C reaches it too.
    """
    os.environ.clear()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a fork does not need it must not be able to wait for.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), min(hard, 256)))


def main(descriptor: int) -> None:
    """Serve the host at the other end of a socket until it is gone.

    Args:
        descriptor: The socket's file descriptor.
    """
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    _preload()
    gc.collect()
    gc.disable()
    namespaces.leave_root()
    entered = namespaces.enter()
    privileges_fixed = _gain_no_privileges()
    ground = Ground(
        landlock_abi=landlock.abi() if privileges_fixed else 0,
        filters=_filters() if privileges_fixed else {},
        namespaces=entered,
    )
    walls = _survey(ground, unprivileged=os.geteuid() != 0)
    _leave_the_host_behind()
    # Objects out of the collector's reach keep their pages shared with the forks.
    gc.freeze()
    ForkServer(control, ground).run(walls)


if __name__ == "__main__":
    main(int(sys.argv[1]))
