"""What all tabs share: who asks, what is answered, and with what it is drawn."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio.to_thread
from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack
from envscaler_eval.playground.brevity import as_json, brief
from envscaler_eval.playground.catalogue import Catalogue
from envscaler_eval.playground.form_entries import Texts
from envscaler_eval.playground.form_reading import FormError
from envscaler_eval.playground.played_episode import TooManyCalls
from envscaler_eval.playground.settings import PlaygroundSettings
from envscaler_eval.playground.visitors import PlaygroundFull, Visitor, Visitors
from envscaler_eval.playground.walls import MOST_BYTES
from envscaler_eval.runtime import EnvironmentFault, Runtime

OWN_REQUEST = "x-playground"
"""A header that no form of another site can send."""
SHOWN_ROOM = "x-room"
"""A header that names what the page shows, such as an episode."""

OVER = "Your visit has ended, and what you held was given up. Choose again."
STALE = (
    "This page shows what you have left since, perhaps in another tab. Reload it to see what "
    "you hold now."
)

PAGE_ID_LENGTH = 40

_LAST_SECONDS = 5.0
_FIELDS = 2000
_FOLDER = Path(__file__).parent

_OURS = "This failed, for which the playground is to blame; its terminal says more."
_log = logging.getLogger(__name__)

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
    def text(self) -> str:
        """The reply as the page's script reads it.

        All of it is ASCII: half a surrogate pair, which JSON can hold, has no other form.
        """
        told = {"parts": self.parts, "more": self.more, "say": self.say, "fault": self.fault}
        return json.dumps(told)

    def response(self, status: int = 200) -> Response:
        """Return the reply as an answer to a request."""
        return Response(self.text, status, media_type="application/json")


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
        self._templates.filters.update({"json": as_json, "brief": brief})

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
        return self.visitors.find(request.cookies.get(cookie_name(request)))

    def page(self, request: Request, tab: Tab, body: str) -> HTMLResponse:
        """Return a whole page.

        Args:
            request: What was asked.
            tab: Which tab it is.
            body: What stands in it.
        """
        drawn = self.draw("page.html.j2", tabs=self.tabs, tab=tab, body=body)
        return HTMLResponse(drawn.encode(errors="replace"))

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
                return Reply(fault="This is for the page's own use.").response(403)
            visitor = self.visitor(request)
            if visitor is None and not admits:
                return Reply(fault=OVER).response(410)
            try:
                known = visitor or self.visitors.admit()
            except PlaygroundFull:
                fault = "All places are taken at the moment. Try again in some minutes."
                return Reply(fault=fault).response(503)
            known.open_page(request.headers[OWN_REQUEST][:PAGE_ID_LENGTH])
            response = await self._answered(request, known, act)
            if visitor is None:
                name = cookie_name(request)
                response.set_cookie(name, known.token, httponly=True, samesite="strict")
            return response

        return Route(path, answer, methods=["POST"])

    async def _answered(self, request: Request, visitor: Visitor, act: Action) -> Response:
        try:
            # Read before it is the visitor's turn, which a slow sender would keep from ending.
            async with request.form(
                max_files=0, max_fields=_FIELDS, max_part_size=MOST_BYTES
            ) as form:
                texts = {key: text for key, text in form.items() if isinstance(text, str)}
            async with visitor.turn:
                if visitor.gone:
                    return Reply(fault=OVER).response(410)
                shown = request.headers.get(SHOWN_ROOM, "")
                if shown and not visitor.holds(shown):
                    raise Refused(STALE)
                return (await act(request, visitor, texts)).response()
        except (Refused, TooManyCalls, UsageError, EnvironmentFault, FormError) as fault:
            return Reply(fault=str(fault)).response()
        except HTTPException as fault:
            return Reply(fault=f"That is too much to send: {fault.detail}").response()
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:
            # The page must hear of it, or it would believe that the playground was stopped.
            _log.exception("%s failed", request.url.path)
            return Reply(fault=_OURS).response(500)


def cookie_name(request: Request) -> str:
    """Return the name of the visitor's cookie.

    Browsers keep one set of cookies for all ports of a machine, on which other playgrounds
    may be.
    """
    return f"envscaler_visitor_{request.url.port or ''}"


async def in_thread(work: Callable[[], T]) -> T:
    """Do what may take a moment, such as calling an environment, beside the event loop."""
    return await anyio.to_thread.run_sync(work)
