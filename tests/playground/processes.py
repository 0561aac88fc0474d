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
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(folder.name)] = int(parent)
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return len(found) - 1
