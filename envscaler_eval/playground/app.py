"""The playground as a web application: its tabs, and the walls around them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from envscaler_eval.playground.build_tab import BuildTab
from envscaler_eval.playground.play_tab import PlayTab
from envscaler_eval.playground.settings import PlaygroundSettings
from envscaler_eval.playground.site import PAGE_ID_LENGTH, Site, Tab, cookie_name
from envscaler_eval.playground.walls import Walls
from envscaler_eval.playground.watch_tab import WatchTab

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_SWEEP_SECONDS = 5.0


def all_tabs() -> Sequence[Tab]:
    """Return the tabs, in the order in which they are shown."""
    return [PlayTab(), WatchTab(), BuildTab()]


def build_app(settings: PlaygroundSettings, names: Sequence[str] = LOOPBACK_NAMES) -> Starlette:
    """Return the playground.

    Args:
        settings: What there is to play with.
        names: The host names that it answers to, `*` for any. A page elsewhere that
            has its own name point to this machine gets no answer.
    """
    site = Site(settings, all_tabs())

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sweeper = asyncio.create_task(_sweep(site))
        try:
            yield
        finally:
            sweeper.cancel()
            await site.close()

    async def home(request: Request) -> Response:
        return RedirectResponse(f"/{site.tabs[0].name}")

    async def here(request: Request) -> Response:
        visitor = site.visitor(request)
        if visitor is not None:
            visitor.open_page(await _page_id(request))
        return Response(status_code=204)

    async def leave(request: Request) -> Response:
        site.visitors.close_page(request.cookies.get(cookie_name(request)), await _page_id(request))
        return Response(status_code=204)

    app = Starlette(
        routes=[
            Route("/", home),
            Route("/here", here, methods=["POST"]),
            Route("/leave", leave, methods=["POST"]),
            *(route for tab in site.tabs for route in tab.routes(site)),
            Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(names)),
            Middleware(Walls),
        ],
        lifespan=lifespan,
    )
    app.state.site = site
    return app


async def _page_id(request: Request) -> str:
    """Return the id that a page has given itself, cut where no page would have such a long one."""
    async for piece in request.stream():
        return piece[:PAGE_ID_LENGTH].decode(errors="replace")
    return ""


async def _sweep(site: Site) -> None:
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        site.visitors.sweep()
