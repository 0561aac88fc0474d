"""Processes of the playground, and waiting for what happens in its own time."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path


def eventually(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait for what happens in the server's own time."""
    end = time.monotonic() + seconds
    waiting = threading.Event()
    while not holds() and time.monotonic() < end:
        waiting.wait(0.05)
    return holds()


def workers() -> int:
    """Count the processes below this one."""
    return len(below(os.getpid()))


def below(process: int) -> set[int]:
    """Return the processes that a process has started, and those that these have."""
    parents = _parents()
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def alive(processes: set[int]) -> set[int]:
    """Return those that have not ended."""
    return processes & _parents().keys()


def command(process: int) -> str:
    """Return what a process was started as, or nothing where it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _parents() -> dict[int, int]:
    """Return the parent of each process that lives."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(folder.name)] = int(parent)
    return parents
