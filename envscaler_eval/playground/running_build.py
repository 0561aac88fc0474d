"""A build in a process of its own, and what is known of it here."""

import asyncio
from pathlib import Path

from envscaler_eval.playground.build_story import BuildStory
from envscaler_eval.playground.following import News
from envscaler_eval.playground.settings import PlaygroundSettings
from envscaler_eval.playground.worker import Worker


class RunningBuild:
    """An environment being built, as a visitor watches it.

    Attributes:
        idea: From what, or `None` for the recorded session.
        model: Who builds it.
        story: What has happened so far.
        news: Tells that something has happened.
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
        self.news = News()
        self._settings = settings
        self._worker = Worker("envscaler_eval.playground.build_worker")

    @property
    def running(self) -> bool:
        """Whether its process is alive."""
        return self._worker.running

    @property
    def told(self) -> int:
        """How many items the story has."""
        return len(self.story.items)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self.story.ending)

    @property
    def pack(self) -> Path | None:
        """The file of the pack, once there is one."""
        return Path(self.story.zip) if self.story.zip else None

    async def start(self) -> asyncio.Task[None]:
        """Start the process.

        Returns:
            What reads its reports; done when the process has ended.
        """
        await self._worker.start(
            {
                "idea": self.idea,
                "model": self.model,
                "folder": str(self._worker.folder / "run"),
                "allow_weak_isolation": self._settings.isolation.allow_weak,
            }
        )
        return asyncio.create_task(self._read())

    def close(self) -> None:
        """End the process. May be called twice."""
        self._worker.close()
        self.story.fail("it was ended")
        self.news.note()

    async def gone(self) -> None:
        """Wait for the end of the process."""
        await self._worker.gone()

    async def _read(self) -> None:
        bound = self._settings.bounds.build_seconds
        try:
            async with asyncio.timeout(bound):
                async for event in self._worker.reports():
                    self.story.take(event)
                    self.news.note()
        except TimeoutError:
            self._worker.kill()
            self.story.fail(f"it took longer than {bound / 60:.0f} minutes")
        except Exception as fault:
            # Whoever watches must hear of it, whatever it is.
            self._worker.kill()
            self.story.fail(f"what its process reports cannot be read: {fault}")
        await self._worker.gone()
        self.story.fail("its process ended without a word")
        self.news.note()
