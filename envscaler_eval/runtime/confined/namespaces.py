"""Namespaces: a fork server leaves the host's network, mounts and identity behind.

Entered once by the fork server and inherited by all workers, so that they cost
an episode nothing.
"""

import ctypes
import os
from pathlib import Path

from envscaler_eval.runtime.confined import kernel

SCRATCH = "/tmp"
"""Where a worker finds its scratch folder."""

_NEW_MOUNTS = 0x00020000
_NEW_HOSTNAME = 0x04000000
_NEW_IPC = 0x08000000
_NEW_USER = 0x10000000
_NEW_NETWORK = 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_MS_RECURSIVE, _MS_PRIVATE = 1 << 14, 1 << 18
_NOBODY = 65534
_SCRATCH_ENTRIES = 4096
_CAPABILITY_VERSION_3 = 0x20080522


def leave_root() -> None:
    """Become nobody, if root; keep `/proc/self` readable, which that takes away."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
        if kernel.is_linux():
            kernel.prctl(kernel.PR_SET_DUMPABLE, 1)


def enter() -> tuple[str, ...]:
    """Enter new namespaces and name them; none where the machine grants none."""
    if not kernel.is_linux():
        return ()
    user, group = os.getuid(), os.getgid()
    everything = _NEW_USER | _NEW_MOUNTS | _NEW_NETWORK | _NEW_IPC | _NEW_HOSTNAME
    try:
        kernel.call("unshare", everything)
    except OSError:
        return ()
    entered = ("user", "network", "ipc", "hostname")
    try:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
        kernel.call("mount", None, b"/", None, ctypes.c_ulong(_MS_RECURSIVE | _MS_PRIVATE), None)
        _try_scratch()
    except OSError:
        return entered
    return (*entered, "mount")


def _try_scratch() -> None:
    """Mount a scratch folder in a child, since some machines refuse that late."""
    child = os.fork()
    if child == 0:
        try:
            mount_scratch(1 << 20)
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise OSError("no mounts")


def mount_scratch(size: int) -> str:
    """Give this process a private, empty folder in memory, gone with the process.

    Args:
        size: How much it holds, in bytes.

    Returns:
        Its path.

    Raises:
        OSError: The kernel refuses.
    """
    kernel.call("unshare", _NEW_MOUNTS)
    options = f"size={size},nr_inodes={_SCRATCH_ENTRIES},mode=700".encode()
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    kernel.call("mount", b"tmpfs", SCRATCH.encode(), b"tmpfs", flags, options)
    os.chdir(SCRATCH)
    return SCRATCH


def drop_capabilities() -> None:
    """Give up the powers that the first process of a user namespace has in it.

    Raises:
        OSError: The kernel refuses.
    """
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    kernel.call("capset", ctypes.byref(header), ctypes.byref(none))
