"""What all tabs share: who asks, what is answered, and with what it is drawn."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio.to_thread
from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack
from envscaler_eval.playground.catalogue import Catalogue
from envscaler_eval.playground.form_entries import Texts
from envscaler_eval.playground.form_reading import FormError
from envscaler_eval.playground.played_episode import TooManyCalls
from envscaler_eval.playground.settings import PlaygroundSettings
from envscaler_eval.playground.visitors import PlaygroundFull, Visitor, Visitors
from envscaler_eval.runtime import EnvironmentFault, Runtime

COOKIE = "envscaler_visitor"
OWN_REQUEST = "x-playground"
"""A header that no form of another site can send."""

_LAST_SECONDS = 5.0
_FIELDS = 2000
_FIELD_BYTES = 256 * 1024
_FOLDER = Path(__file__).parent

T = TypeVar("T")


class Tab(Protocol):
    """A part of the page, with an address of its own."""

    @property
    def name(self) -> str:
        """Its place in addresses."""
        ...

    @property
    def title(self) -> str:
        """What people read."""
        ...

    def routes(self, site: "Site") -> Sequence[Route]:
        """Return what answers its requests; `/name` is its page."""
        ...


class Refused(Exception):
    """What was asked for cannot be done now; one line says why."""


@dataclass(frozen=True)
class Reply:
    """What an action makes of the page.

    Attributes:
        parts: New contents of elements, by id.
        more: What is added at the end of elements, by id.
        say: What is told to those who do not see the page change.
        fault: Why nothing was done.
    """

    parts: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)
    say: str = ""
    fault: str = ""

    @property
    def content(self) -> dict[str, Any]:
        """The reply as the page's script reads it."""
        return {"parts": self.parts, "more": self.more, "say": self.say, "fault": self.fault}


Action = Callable[[Request, Visitor, Texts], Awaitable[Reply]]


class Site:
    """The playground as its tabs see it.

    Attributes:
        settings: What there is, and within which bounds.
        catalogue: The scenarios.
        visitors: Who is here.
        tabs: The tabs.
    """

    def __init__(self, settings: PlaygroundSettings, tabs: Sequence[Tab]) -> None:
        """Prepare to answer.

        Args:
            settings: What there is to play with.
            tabs: The tabs, in order.
        """
        self.settings = settings
        self.catalogue = Catalogue(settings.packs)
        self.visitors = Visitors(settings.bounds)
        self.tabs = tabs
        self._runtimes: dict[str, Runtime] = {}
        self._kept: set[asyncio.Task[None]] = set()
        self._templates = Templates(
            loader=FileSystemLoader(_FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["json"] = partial(json.dumps, ensure_ascii=False)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold what runs beside the requests, until it is done."""
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)

    async def close(self) -> None:
        """Let go of all visitors, and wait a moment for what they had running."""
        self.visitors.close()
        if self._kept:
            await asyncio.wait(self._kept, timeout=_LAST_SECONDS)

    def runtime(self, pack: Pack) -> Runtime:
        """Return where an environment runs.

        Raises:
            UsageError: It cannot run as the settings want it.
        """
        if pack.info.id not in self._runtimes:
            self._runtimes[pack.info.id] = self.settings.isolation.runtime(pack)
        return self._runtimes[pack.info.id]

    def draw(self, template: str, **content: Any) -> str:
        """Return a template's text."""
        return self._templates.get_template(template).render(**content)

    def visitor(self, request: Request) -> Visitor | None:
        """Return who asks, if known."""
        return self.visitors.find(request.cookies.get(COOKIE))

    def page(self, request: Request, tab: Tab, body: str) -> HTMLResponse:
        """Return a whole page.

        Args:
            request: What was asked.
            tab: Which tab it is.
            body: What stands in it.
        """
        return HTMLResponse(self.draw("page.html.j2", tabs=self.tabs, tab=tab, body=body))

    def action(self, path: str, act: Action, *, admits: bool = False) -> Route:
        """Return what answers a form of a page.

        One visitor's actions are taken one after the other.

        Args:
            path: The address.
            act: What it does, with what was typed.
            admits: Whether it makes a stranger a visitor; others are told that
                their visit is over.
        """

        async def answer(request: Request) -> Response:
            if OWN_REQUEST not in request.headers:
                return JSONResponse(Reply(fault="This is for the page's own use.").content, 403)
            visitor = self.visitor(request)
            if visitor is None and not admits:
                fault = "Your visit has ended, and what you held was given up. Choose again."
                return JSONResponse({**Reply(fault=fault).content, "over": True}, 410)
            try:
                known = visitor or self.visitors.admit()
            except PlaygroundFull:
                fault = "All places are taken at the moment. Try again in some minutes."
                return JSONResponse(Reply(fault=fault).content, 503)
            known.open_page(request.headers[OWN_REQUEST])
            response = JSONResponse((await self._acted(request, known, act)).content)
            if visitor is None:
                response.set_cookie(COOKIE, known.token, httponly=True, samesite="strict")
            return response

        return Route(path, answer, methods=["POST"])

    async def _acted(self, request: Request, visitor: Visitor, act: Action) -> Reply:
        try:
            async with (
                visitor.turn,
                request.form(max_files=0, max_fields=_FIELDS, max_part_size=_FIELD_BYTES) as form,
            ):
                texts = {key: text for key, text in form.items() if isinstance(text, str)}
                return await act(request, visitor, texts)
        except (Refused, TooManyCalls, UsageError, EnvironmentFault, FormError) as fault:
            return Reply(fault=str(fault))


async def in_thread(work: Callable[[], T]) -> T:
    """Do what may take a moment, such as calling an environment, beside the event loop."""
    return await anyio.to_thread.run_sync(work)
