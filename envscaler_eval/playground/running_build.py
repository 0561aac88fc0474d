"""A build in a process of its own, and what is known of it here."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from envscaler_eval.playground.build_story import BuildStory
from envscaler_eval.playground.settings import PlaygroundSettings

_LONGEST_LINE = 64 * 1024 * 1024
_MODULE = "envscaler_eval.playground.build_worker"


class RunningBuild:
    """An environment being built, as a visitor watches it.

    Attributes:
        idea: From what, or `None` for the recorded session.
        model: Who builds it.
        story: What has happened so far.
        version: Grows with everything that happens.
    """

    def __init__(self, idea: str | None, model: str, settings: PlaygroundSettings) -> None:
        """Know what is to be built; `start` starts it.

        Args:
            idea: From what, or `None` for the recorded session.
            model: Who builds it.
            settings: Within which bounds.
        """
        self.idea = idea
        self.model = model
        self.story = BuildStory()
        self.version = 0
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="envscaler-build-"))
        self._closed = False
        self._happened = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def running(self) -> bool:
        """Whether its process is alive."""
        return self._process is not None and self._process.returncode is None

    @property
    def pack(self) -> Path | None:
        """The file of the pack, once there is one."""
        return Path(self.story.zip) if self.story.zip else None

    async def start(self) -> asyncio.Task[None]:
        """Start the process.

        Returns:
            What reads its answers; done when the process has ended.
        """
        scratch = self._folder / "tmp"
        scratch.mkdir()
        setting = {
            "idea": self.idea,
            "model": self.model,
            "folder": str(self._folder / "run"),
            "allow_weak_isolation": self._settings.isolation.allow_weak,
        }
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", _MODULE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LONGEST_LINE,
            # A group of its own, to be ended as a whole, and all its files in one place.
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(setting).encode() + b"\n")
        return asyncio.create_task(self._read(self._process))

    async def news(self, version: int, seconds: float) -> bool:
        """Wait until something has happened since a version, for so long at most.

        Returns:
            Whether something has.
        """
        if self.version <= version:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._happened.wait(), seconds)
        return self.version > version

    def close(self) -> None:
        """End the process and remove what it wrote. May be called twice."""
        self._closed = True
        self._kill()
        self.story.fail("it was ended")
        self._note()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def gone(self) -> None:
        """Wait for the end of the process."""
        if self._process is not None:
            await self._process.wait()

    def _kill(self) -> None:
        if self.running and self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        bound = self._settings.bounds.build_seconds
        try:
            async with asyncio.timeout(bound):
                async for line in process.stdout:
                    self.story.take(json.loads(line))
                    self._note()
        except TimeoutError:
            self._kill()
            self.story.fail(f"it took longer than {bound / 60:.0f} minutes")
        await process.wait()
        self.story.fail("its process ended without a word")
        self._note()
        if self._closed:
            # Again, for what the process wrote while it was being ended.
            shutil.rmtree(self._folder, ignore_errors=True)

    def _note(self) -> None:
        self.version += 1
        self._happened.set()
        self._happened = asyncio.Event()
