"""Landlock: a process gives up the file system, and keeps at most one folder.

Bound here directly, because a fork server must import little and the published
bindings do not cover the scopes of ABI 6. See landlock(7).
"""

import ctypes
import os

from envscaler_eval.runtime.confined import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_RULE_PATH_BENEATH = 1

# Bits of LANDLOCK_ACCESS_FS_*: 13 of them in ABI 1, then refer, truncate, ioctl.
_FILE_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_EXECUTE = 1 << 0
_MAKE_CHAR, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (
    1 << bit for bit in (6, 9, 10, 11, 12)
)
_NOT_IN_SCRATCH = _EXECUTE | _MAKE_CHAR | _MAKE_SOCK | _MAKE_FIFO | _MAKE_BLOCK | _MAKE_SYM
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_ABI_WITH_TCP = 4
_ABI_WITH_SCOPES = 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """Return the version of Landlock in this kernel, 0 for none."""
    if not kernel.is_linux():
        return 0
    try:
        return kernel.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    except OSError:
        return 0


def denies_signals(version: int) -> bool:
    """Whether a version of Landlock keeps signals inside."""
    return version >= _ABI_WITH_SCOPES


def restrict(version: int, folder: str | None = None) -> None:
    """Give up files, TCP, abstract sockets and signals to others, as far as the version goes.

    Args:
        version: What `abi` returned, above 0.
        folder: A folder that stays readable and writable.

    Raises:
        OSError: The kernel refuses.
    """
    files = (1 << _FILE_RIGHTS_BY_ABI.get(version, 16)) - 1
    rules = _Ruleset(
        files,
        _TCP_BIND_AND_CONNECT if version >= _ABI_WITH_TCP else 0,
        _ABSTRACT_SOCKETS_AND_SIGNALS if version >= _ABI_WITH_SCOPES else 0,
    )
    # An older kernel takes only the part of the structure that it knows.
    size = 24 if version >= _ABI_WITH_SCOPES else 16 if version >= _ABI_WITH_TCP else 8
    ruleset = kernel.syscall(
        _CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0)
    )
    try:
        if folder is not None:
            _keep(ruleset, folder, files & ~_NOT_IN_SCRATCH)
        kernel.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _keep(ruleset: int, folder: str, rights: int) -> None:
    descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(rights, descriptor)
        kernel.syscall(
            _ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0)
        )
    finally:
        os.close(descriptor)
