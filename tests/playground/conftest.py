"""A playground that is served, and a browser that is shown it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import locate, read_pack
from envscaler_eval.playground import PlaygroundSettings
from tests.chromium import BROWSER

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Serve = Callable[..., str]

PHONE, DESKTOP = 390, 1280
PACKS = ("hotel_operations", "journal_ledger", "blood_bank")
IN_PROCESS = IsolationPolicy("in_process")
"""Quicker than workers; that these hold is shown by tests of their own."""


def library(*names: str) -> list[Any]:
    """Return packs of the library."""
    return [read_pack(locate(name)) for name in names or PACKS]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """What serves a playground with given settings and tells its address."""
    pytest.importorskip("python_multipart", reason="the extra `app` is not installed")
    pytest.importorskip("sse_starlette", reason="the extra `app` is not installed")
    from sse_starlette.sse import AppStatus

    from envscaler_eval.playground.app import build_app
    from envscaler_eval.web_server import WebServer

    # Streams end with any server that this process has seen stop, such as one of Inspect's in
    # another test.
    AppStatus.enable_automatic_graceful_drain = False
    AppStatus.should_exit = False
    with ExitStack() as stack:

        def start(**settings: Any) -> str:
            given = {"packs": library(), "isolation": IN_PROCESS, **settings}
            server = WebServer(build_app(PlaygroundSettings(**given)))
            stack.enter_context(server)
            return server.url

        yield start


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    """A browser without a window. While it is open no other event loop can run in this thread."""
    playwright = pytest.importorskip("playwright.sync_api", reason="there is no Playwright")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


OpenPage = Callable[..., "Page"]


@pytest.fixture
def browse(chromium: "Browser") -> Iterator[OpenPage]:
    """What opens a page as a new visitor. In the end none may have complained or gone out."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def open_page(address: str, width: int = DESKTOP, height: int = 900) -> "Page":
            context = stack.enter_context(
                chromium.new_context(viewport={"width": width, "height": height})
            )
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
            page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
            page.on("request", lambda request: _note_outsiders(request.url, complaints))
            page.goto(address)
            return page

        yield open_page
    assert complaints == []


def _note_outsiders(url: str, complaints: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
        complaints.append(f"went out: {url}")
