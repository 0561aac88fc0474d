"""Visitors: who is here, for how long, and what each of them holds."""

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

_TOKEN_BYTES = 32
_NAME_BYTES = 8
_PAGES = 100


class PlaygroundFull(Exception):
    """There is no place for one more visitor."""


class Room(Protocol):
    """What a visitor holds in one tab, such as an episode."""

    def close(self) -> None:
        """Give up what it holds. May be called twice."""
        ...


R = TypeVar("R", bound=Room)


@dataclass(frozen=True)
class Bounds:
    """How many visitors there may be, and how long each may stay.

    Attributes:
        visitors: How many at once.
        idle_seconds: After how long without doing anything a visitor is let go.
        lifetime_seconds: After how long a visitor is let go in any case.
        away_seconds: After how long one is let go whose last page was closed.
        calls: How many calls an episode takes.
        watched: How many episodes of models may run at once.
        builds: How many environments may be built at once.
        build_seconds: How long a build may take.
    """

    visitors: int = 50
    idle_seconds: float = 30 * 60
    lifetime_seconds: float = 4 * 60 * 60
    away_seconds: float = 60
    calls: int = 200
    watched: int = 4
    builds: int = 2
    build_seconds: float = 60 * 60


@dataclass(eq=False)
class Visitor:
    """One who is here.

    Attributes:
        token: What the browser shows to be recognised, and nobody can guess.
        arrived: When it came, by the visitors' clock.
        seen: When it last did something.
        left: When its last page was closed, or `None` while one is open.
        turn: Holds others of its requests off while one acts.
        gone: Whether it was let go.
        streams: How many of its pages are being told what happens.
    """

    token: str
    arrived: float
    seen: float
    left: float | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    gone: bool = False
    streams: int = 0
    _pages: set[str] = field(default_factory=set)
    _rooms: dict[type[Room], Room] = field(default_factory=dict)
    _names: dict[type[Room], str] = field(default_factory=dict)

    def room(self, kind: type[R]) -> R | None:
        """Return what it holds of a kind, if anything."""
        return cast("R | None", self._rooms.get(kind))

    def name(self, kind: type[Room]) -> str:
        """Return the name of what it holds of a kind, which tells its pages from older ones."""
        return self._names.get(kind, "")

    def holds(self, name: str) -> bool:
        """Whether it holds what has this name."""
        return name in self._names.values()

    def enter(self, room: Room) -> None:
        """Hold something, in the place of what it held of that kind."""
        self.leave(type(room))
        self._rooms[type(room)] = room
        self._names[type(room)] = secrets.token_hex(_NAME_BYTES)

    def leave(self, kind: type[Room]) -> None:
        """Give up what it holds of a kind."""
        room = self._rooms.pop(kind, None)
        self._names.pop(kind, None)
        if room is not None:
            room.close()

    def open_page(self, page: str) -> None:
        """Note that a page is open."""
        if len(self._pages) < _PAGES:
            self._pages.add(page)
        self.left = None

    def close_page(self, page: str, now: float) -> None:
        """Note that a page was closed, perhaps the last one."""
        self._pages.discard(page)
        if not self._pages:
            self.left = now

    def close(self) -> None:
        """Give up all that it holds, for good."""
        self.gone = True
        for kind in list(self._rooms):
            self.leave(kind)


class Visitors:
    """All who are here. Each is found by its token alone, and holds its own."""

    def __init__(self, bounds: Bounds, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty.

        Args:
            bounds: How many there may be, and for how long.
            clock: Tells the time in seconds.
        """
        self.bounds = bounds
        self._clock = clock
        self._here: dict[str, Visitor] = {}

    def __len__(self) -> int:
        """Return how many are here."""
        return len(self._here)

    @property
    def now(self) -> float:
        """The time by which visitors are let go, in seconds."""
        return self._clock()

    def find(self, token: str | None) -> Visitor | None:
        """Return the visitor with a token, who is now here again, or `None`."""
        visitor = self._here.get(token) if token else None
        if visitor is None:
            return None
        if self._is_gone(visitor):
            self._dismiss(visitor)
            return None
        visitor.seen = self._clock()
        visitor.left = None
        return visitor

    def admit(self) -> Visitor:
        """Let one more in.

        Raises:
            PlaygroundFull: There is no place.
        """
        self.sweep()
        if len(self._here) >= self.bounds.visitors:
            raise PlaygroundFull
        now = self._clock()
        visitor = Visitor(secrets.token_urlsafe(_TOKEN_BYTES), now, now)
        self._here[visitor.token] = visitor
        return visitor

    def close_page(self, token: str | None, page: str) -> None:
        """Note that a visitor has closed a page; being found cancels the departure."""
        visitor = self._here.get(token) if token else None
        if visitor is not None:
            visitor.close_page(page, self._clock())

    def sweep(self) -> None:
        """Let go of all whose time is over."""
        for visitor in list(self._here.values()):
            if self._is_gone(visitor):
                self._dismiss(visitor)

    def close(self) -> None:
        """Let go of all."""
        for visitor in list(self._here.values()):
            self._dismiss(visitor)

    def _is_gone(self, visitor: Visitor) -> bool:
        if visitor.turn.locked():
            return False
        now, bounds = self._clock(), self.bounds
        return (
            now - visitor.seen > bounds.idle_seconds
            or now - visitor.arrived > bounds.lifetime_seconds
            or (visitor.left is not None and now - visitor.left > bounds.away_seconds)
        )

    def _dismiss(self, visitor: Visitor) -> None:
        del self._here[visitor.token]
        visitor.close()
