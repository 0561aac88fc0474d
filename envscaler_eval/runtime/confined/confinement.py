"""How a fresh fork gives up what a worker must not have."""

import os
import resource
import signal
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from envscaler_eval.runtime.confined import kernel, landlock, namespaces, seccomp
from envscaler_eval.runtime.confined.limits import MIB, Limits
from envscaler_eval.runtime.confined.walls import Denial

Role = Literal["tools", "judge"]


@dataclass(frozen=True)
class Ground:
    """What a fork server stands on, found once and used by every fork.

    Attributes:
        landlock_abi: The version of Landlock, 0 for none.
        filters: The seccomp filters by profile, empty where there is none.
        namespaces: The namespaces that were entered.
        address_space: What an idle fork has mapped, in bytes; 0 if unknown.
    """

    landlock_abi: int
    filters: Mapping[seccomp.Profile, bytes]
    namespaces: tuple[str, ...]
    address_space: int = field(default_factory=lambda: _address_space())


def die_with(parent: int) -> None:
    """Make the kernel end this process when its parent ends."""
    if kernel.is_linux():
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def confine(ground: Ground, role: Role, limits: Limits, scratch: bool) -> None:
    """Give up everything but computing.

    Args:
        ground: What the fork server has found.
        role: What the process is for; a judge gets more memory.
        limits: The bounds.
        scratch: Whether to keep a private folder, which becomes the working
            folder.

    Raises:
        OSError: The kernel refuses something that it was found to grant.
    """
    folder = None
    if scratch:
        folder = namespaces.mount_scratch(int(limits.scratch_mib * MIB))
        os.environ["TMPDIR"] = folder
    _set_limits(ground, role, limits, scratch)
    if ground.namespaces:
        namespaces.drop_capabilities()
    if ground.landlock_abi:
        landlock.restrict(ground.landlock_abi, folder)
    if ground.filters:
        seccomp.install(ground.filters["files" if scratch else "compute"])


def _set_limits(ground: Ground, role: Role, limits: Limits, scratch: bool) -> None:
    memory = limits.memory_mib if role == "tools" else limits.judge_memory_mib
    seconds = max(1, round(limits.episode_cpu_seconds))
    size = int(limits.file_mib * MIB) if scratch else 0
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: size,
        resource.RLIMIT_NOFILE: limits.open_files,
    }
    if ground.address_space:
        bounds[resource.RLIMIT_AS] = ground.address_space + int(memory * MIB)
    if kernel.is_linux():
        # Other systems count the user's processes, and would refuse the host's.
        bounds[resource.RLIMIT_NPROC] = 0
    for which, bound in bounds.items():
        _, hardest = resource.getrlimit(which)
        bound = bound if hardest == resource.RLIM_INFINITY else min(bound, hardest)
        resource.setrlimit(which, (bound, bound))
    # One second between the limits, for a death by SIGXCPU, which tells the reason.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _address_space() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def denied_here() -> tuple[Denial, ...]:
    """Try what a worker must not do and name what was refused."""
    attempts: dict[Denial, Callable[[], object]] = {
        "files": lambda: os.listdir("/"),
        "network": _reach_out,
        "processes": _fork,
        "signals": lambda: os.kill(os.getppid(), 0),
    }
    return tuple(denial for denial, attempt in attempts.items() if _is_refused(attempt))


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return True
    return False


def _reach_out() -> None:
    # An address of the documentation range: choosing a route sends nothing.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.connect(("192.0.2.1", 9))


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
