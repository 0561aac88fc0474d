"""The few system calls that Python's standard library lacks."""

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39


def is_linux() -> bool:
    """Whether there is a Linux kernel below."""
    return sys.platform == "linux"


@cache
def libc() -> ctypes.CDLL:
    """Return the C library of the process."""
    return ctypes.CDLL(None, use_errno=True)


@cache
def _bare_fork() -> Callable[[], int]:
    # Holds the interpreter's lock across the call, as `os.fork` does.
    fork: Callable[[], int] = ctypes.PyDLL(None).fork
    return fork


def fork() -> int:
    """Fork a process that has one thread, at less than half the price of `os.fork`.

    The hooks that Python runs in a fork put locks and random sources of modules
    in order after other threads are lost. There are none here, and each page
    that the hooks would touch is copied.

    Returns:
        0 in the child, and its process id in the parent.

    Raises:
        OSError: The machine does not grant it.
    """
    if not is_linux():
        return os.fork()
    child = _bare_fork()()
    if child < 0:
        raise OSError("fork: the machine grants no process")
    return child


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C library.

    Raises:
        OSError: It failed.
    """
    result: int = getattr(libc(), name)(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """Call `prctl`.

    Raises:
        OSError: It failed.
    """
    filled = (*arguments, 0, 0, 0, 0)[:4]
    return call("prctl", option, *(ctypes.c_ulong(argument) for argument in filled))


def syscall(number: int, *arguments: Any) -> int:
    """Make a system call that the C library does not wrap.

    Raises:
        OSError: It failed.
    """
    return call("syscall", ctypes.c_long(number), *arguments)


def cpu_clock_of(pid: int) -> int:
    """Return the clock of the processor time of another process, for `time.clock_gettime`.

    What clock_getcpuclockid(3) computes.
    """
    per_process_scheduled = 2
    return (~pid << 3) | per_process_scheduled


def machine() -> str:
    """Return the processor architecture, as system-call tables name it."""
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())


def is_missing(fault: OSError) -> bool:
    """Whether a fault says that the kernel lacks a feature or has it turned off."""
    return fault.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EPERM, errno.EACCES)
