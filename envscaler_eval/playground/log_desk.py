"""Saved logs: choosing one of the folder that was named at the start, and replaying a sample."""

import contextlib
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from envscaler_eval.playground.form_entries import Texts, number_of
from envscaler_eval.playground.recorded_episode import RecordedEpisode, open_sample, samples_of
from envscaler_eval.playground.site import Refused, Reply, Site, in_thread
from envscaler_eval.playground.tree import tree
from envscaler_eval.playground.visitors import Visitor
from envscaler_eval.playground.watched_episode import WatchedEpisode
from envscaler_eval.playground.words import STATUS_WORDS, observed

MOST_LOGS = 200
_MOST_SAMPLES = 500
_ENDINGS = (".eval", ".json")


def _files(folder: Path) -> Iterator[Path]:
    """Go through all files that are called as logs are."""
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names if name.endswith(_ENDINGS))


def _is_inside(file: Path, folder: Path) -> bool:
    """Whether a file is where it seems to be: a link may lead out of the folder."""
    return not file.is_symlink() or file.resolve().is_relative_to(folder)


class Replayed:
    """A sample of a log that a visitor replays."""

    def __init__(self, log: str, episode: RecordedEpisode) -> None:
        """Hold a sample.

        Args:
            log: The log, as it is called in the folder.
            episode: The sample.
        """
        self.log = log
        self.episode = episode

    def close(self) -> None:
        """Give up its episode."""
        self.episode.close()


class LogDesk:
    """Answers what concerns logs."""

    def __init__(self, site: Site, stage: Callable[[Visitor | None], Awaitable[str]]) -> None:
        """Prepare to answer.

        Args:
            site: The playground.
            stage: Draws the tab for a visitor.
        """
        self._site = site
        self._stage = stage

    def routes(self) -> Sequence[Route]:
        """Return what answers its requests."""
        return [
            self._site.action("/watch/log/samples", self.samples, admits=True),
            self._site.action("/watch/log/open", self.open, admits=True),
            self._site.action("/watch/log/go", self.go),
        ]

    def names(self) -> list[str]:
        """Return the logs that may be opened, the newest first, by their place in the folder."""
        folder = self._site.settings.logs
        if folder is None:
            return []
        root = folder.resolve()
        found: list[tuple[float, str]] = []
        for file in _files(root):
            # What cannot be read, or has gone meanwhile, is no log for anyone.
            with contextlib.suppress(OSError):
                if file.is_file() and _is_inside(file, root):
                    found.append((-file.stat().st_mtime, str(file.relative_to(root))))
        return [name for _, name in sorted(found)]

    async def samples(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        """List the samples of a log."""
        name = texts.get("log", "")
        found = await in_thread(lambda: samples_of(self._file(name)))
        drawn = self._site.draw(
            "log_samples.html.j2", log=name, count=len(found), samples=found[:_MOST_SAMPLES]
        )
        return Reply({"samples": drawn}, say=f"{len(found)} samples")

    async def open(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        """Start replaying a sample."""
        name, sample = texts.get("log", ""), texts.get("sample", "")
        epoch = number_of(texts.get("epoch", ""))
        if epoch is None:
            raise Refused("There is no such sample.")

        def read() -> RecordedEpisode:
            file = self._file(name)
            return open_sample(file, sample, epoch, self._site.catalogue, self._site.runtime)

        visitor.leave(WatchedEpisode)
        visitor.leave(Replayed)
        visitor.enter(Replayed(name, await in_thread(read)))
        return Reply({"stage": await self._stage(visitor)}, say=f"Replaying {sample}")

    async def go(self, request: Request, visitor: Visitor, texts: Texts) -> Reply:
        """Go to another place in the sample."""
        replayed = visitor.room(Replayed)
        if replayed is None:
            raise Refused("Nothing is being replayed; open a log.")
        episode = replayed.episode
        ways = {
            "first": 0,
            "back": episode.place - 1,
            "on": episode.place + 1,
            "last": len(episode.turns),
        }
        place = ways.get(texts.get("to", ""))
        if place is None:
            raise Refused("There is no such place.")
        await in_thread(lambda: episode.go(place))
        told = f"Step {episode.place} of {len(episode.turns)}"
        return Reply(self._parts(episode), say=told)

    def draw(self, replayed: Replayed, room: str) -> str:
        """Return the tab while a sample is replayed.

        Args:
            replayed: The sample.
            room: What the page calls it.
        """
        episode = replayed.episode
        listing = episode.listing
        return self._site.draw(
            "replay.html.j2",
            room=room,
            log=replayed.log,
            listing=listing,
            pack=listing.pack,
            scenario=listing.scenario,
            episode=episode,
            parts=self._parts(episode),
        )

    def _parts(self, episode: RecordedEpisode) -> dict[str, str]:
        items = episode.items
        told: Sequence[Any] = [item for item in items if item.differences is not None]
        last = told[-1].differences if told else ()
        return {
            "talk": self._site.draw(
                "talk.html.j2", items=items, status_words=STATUS_WORDS, observed=observed
            ),
            "state": self._site.draw("world.html.j2", nodes=tree(episode.state, last or ())),
            "replay-controls": self._site.draw("replay_controls.html.j2", episode=episode),
        }

    def _file(self, name: str) -> Path:
        if name not in self.names():
            raise Refused("There is no such log here.")
        assert self._site.settings.logs is not None
        return self._site.settings.logs.resolve() / name
