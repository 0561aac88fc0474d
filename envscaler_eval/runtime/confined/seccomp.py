"""Seccomp: a process keeps the system calls that computing needs, and no others.

An allow-list, so that what a future kernel adds is refused too. A refused call
fails with `EPERM`, which a program sees as `PermissionError`. Numbers are those
of the kernel's tables for x86_64 and aarch64.
"""

import ctypes
import struct
from collections.abc import Iterable
from typing import Literal, get_args

from envscaler_eval.runtime.confined import kernel

Profile = Literal["compute", "files"]
"""`compute`: memory, clock and talking over what is open. `files`: also files,
for a scratch folder."""

PROFILES: tuple[Profile, ...] = get_args(Profile)

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

_COMPUTE = {
    "read": (0, 63),
    "write": (1, 64),
    "futex": (202, 98),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "brk": (12, 214),
    "madvise": (28, 233),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "close": (3, 57),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "restart_syscall": (219, 128),
    "sched_yield": (24, 124),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
_FILES = {
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "ioctl": (16, 29),
    "dup": (32, 23),
    "fchmod": (91, 52),
    "utimensat": (280, 88),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fadvise64": (221, 223),
    "fallocate": (285, 47),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
}
_CALLS = {"compute": _COMPUTE, "files": {**_COMPUTE, **_FILES}}

# Classic BPF: load a word, jump if equal or at least, return.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_REFUSE = 0x00050000 | 1
_MODE_FILTER = 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def filter_of(profile: Profile) -> bytes | None:
    """Return the filter of a profile, or `None` where there is no table for the machine."""
    machine = kernel.machine()
    if not kernel.is_linux() or machine not in _ARCHITECTURES:
        return None
    column = 0 if machine == "x86_64" else 1
    numbers = [entry[column] for entry in _CALLS[profile].values()]
    return _assemble(_ARCHITECTURES[machine], [n for n in numbers if n is not None])


def _assemble(architecture: int, allowed: Iterable[int]) -> bytes:
    numbers = list(allowed)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, len(numbers), 0, _X32),
    ]
    for position, number in enumerate(numbers):
        # Jumps are relative; the refusal comes first after the list.
        lines.append((_EQUAL, len(numbers) - position, 0, number))
    lines += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def install(program: bytes) -> None:
    """Put a filter on this process and its children, for good.

    Raises:
        OSError: The kernel refuses.
    """
    lines = ctypes.create_string_buffer(program, len(program))
    described = _Program(len(program) // 8, ctypes.cast(lines, ctypes.c_void_p))
    kernel.prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(described))
