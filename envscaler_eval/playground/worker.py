"""Both ends of a process that is given lines of JSON, and answers with such."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.results.named_models import told_in_a_line

Report = Callable[[Mapping[str, Any]], None]
"""Tells what happens, from any thread: `event` says what, the rest depends on it."""

_LONGEST_LINE = 64 * 1024 * 1024
_FOLDER = "ENVSCALER_WORKER_FOLDER"


class Worker:
    """The playground's end: the process, and a folder for what it writes.

    Attributes:
        folder: The folder, until it is closed.
    """

    def __init__(self, module: str) -> None:
        """Make the folder; `start` starts the process.

        Args:
            module: The module that the process runs, by its full name.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="envscaler-worker-"))
        self._module = module
        self._process: asyncio.subprocess.Process | None = None
        self._closed = False
        self._ended = False

    @property
    def running(self) -> bool:
        """Whether the process is alive, or about to be."""
        if self._process is None:
            return not self._closed
        return self._process.returncode is None

    async def start(self, setting: Mapping[str, Any]) -> None:
        """Start the process.

        Args:
            setting: Its first line.

        Raises:
            UsageError: The machine has no room for it.
        """
        scratch = self.folder / "tmp"
        try:
            scratch.mkdir()
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._module),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_LINE,
                # A group of its own, to be ended as a whole, and all its files in one place.
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(scratch), _FOLDER: str(self.folder)},
            )
        except OSError as fault:
            self.close()
            raise UsageError(f"a process for this cannot be started: {fault.strerror}") from None
        if self._closed:
            # The visitor was let go meanwhile.
            self.kill()
        self.send(setting)

    def send(self, line: Mapping[str, Any]) -> None:
        """Give the process a line, if it still runs."""
        if self.running and self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")

    async def reports(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield what the process reports, to its end."""
        assert self._process is not None and self._process.stdout is not None
        async for line in self._process.stdout:
            yield json.loads(line)

    def kill(self) -> None:
        """End the process and what it has started."""
        if self.running:
            self._kill_group()

    def close(self) -> None:
        """End the process, and remove the folder. May be called twice."""
        self._closed = True
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def gone(self) -> None:
        """Wait until the process has ended."""
        if self._process is not None:
            await self._process.wait()
            if not self._ended:
                # It may have been killed by another, who left alive what it has started. Once
                # only: later on the number may be another's.
                self._ended = True
                self._kill_group()
        if self._closed:
            # Again, for what the process wrote while it was being ended.
            shutil.rmtree(self.folder, ignore_errors=True)

    def _kill_group(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


def work(do: Callable[[Mapping[str, Any], Report], None]) -> None:
    """Be the process: do what the first line of standard input asks for.

    What goes wrong is reported as `failed`, with `why`.

    Args:
        do: Takes the first line, and what to report with.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever prints must not get between the answers.
    os.dup2(2, 1)
    turn = threading.Lock()

    def report(event: Mapping[str, Any]) -> None:
        with turn:
            answers.write(json.dumps(event, default=str) + "\n")
            answers.flush()

    try:
        do(json.loads(sys.stdin.readline()), report)
    except UsageError as fault:
        report({"event": "failed", "why": told_in_a_line(fault)})
    except Exception as fault:
        why = f"{type(fault).__name__}: {told_in_a_line(fault)}"
        report({"event": "failed", "why": why})
        raise


def end_all() -> None:
    """End this process and all that it has started, from within, and remove what it wrote.

    Such is the end where the playground itself was killed and can remove nothing any more.
    """
    shutil.rmtree(os.environ[_FOLDER], ignore_errors=True)
    os.killpg(0, signal.SIGKILL)
