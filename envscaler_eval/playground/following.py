"""Pages that follow what happens in a visitor's room."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from envscaler_eval.playground.form_entries import number_of
from envscaler_eval.playground.site import OVER, STALE, Reply, Site
from envscaler_eval.playground.visitors import Room

_PING_SECONDS = 15.0
_MOST_STREAMS = 20
_TOO_MANY = "Too many pages of yours follow what happens. Close some, and reload this one."


class News:
    """Tells those who wait that something has happened.

    Attributes:
        count: How often something has.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self.count = 0
        self._happened = asyncio.Event()

    def note(self) -> None:
        """Something has happened."""
        self.count += 1
        self._happened.set()
        self._happened = asyncio.Event()

    async def since(self, count: int, seconds: float) -> bool:
        """Wait until something has happened after the first `count`, for so long at most.

        Returns:
            Whether something has.
        """
        if self.count <= count:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._happened.wait(), seconds)
        return self.count > count


class FollowedRoom(Room, Protocol):
    """A room in which something happens by itself."""

    @property
    def news(self) -> News:
        """What tells that something has happened."""
        ...

    @property
    def told(self) -> int:
        """How many items there are to show, which only grow."""
        ...

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        ...


R = TypeVar("R", bound=FollowedRoom)


def follow(
    site: Site, request: Request, kind: type[R], tell: Callable[[R, int], Reply]
) -> Response:
    """Stream a visitor's room to a page, until it is over or the visitor has left it.

    A page whose connection broke goes on where it was, unless the visitor has gone on to
    another room since, which the page is told.

    Args:
        site: The playground.
        request: What the page has asked.
        kind: The kind of room.
        tell: Returns what changes in a page that shows so many items of the room.
    """
    from sse_starlette import EventSourceResponse, ServerSentEvent

    visitor = site.visitor(request)
    room = visitor.room(kind) if visitor else None
    name = request.query_params.get("room", "")
    # What a browser had seen when its connection broke, or else what the page showed.
    seen = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    shown = number_of(seen) or 0

    def here() -> bool:
        return visitor is not None and not visitor.gone and visitor.name(kind) == name

    async def events() -> AsyncIterator[ServerSentEvent]:
        if visitor is None or visitor.streams >= _MOST_STREAMS:
            fault = _TOO_MANY if visitor else OVER
            yield ServerSentEvent(Reply(fault=fault).text, event="reply", id=str(shown))
            yield ServerSentEvent("", event="end")
            return
        visitor.streams += 1
        try:
            async for event in news():
                yield event
        finally:
            visitor.streams -= 1

    async def news() -> AsyncIterator[ServerSentEvent]:
        nonlocal shown
        count = -1
        while visitor is not None and room is not None and here():
            if await room.news.since(count, _PING_SECONDS):
                count = room.news.count
                visitor.seen = max(visitor.seen, site.visitors.now)
                before, shown = shown, room.told
                yield ServerSentEvent(tell(room, before).text, event="reply", id=str(shown))
            if room.over:
                break
        if not here():
            told = Reply(fault=OVER if visitor is None or visitor.gone else STALE)
            yield ServerSentEvent(told.text, event="reply", id=str(shown))
        yield ServerSentEvent("", event="end")

    return EventSourceResponse(events(), ping=int(_PING_SECONDS))
