"""What holds for all that is asked and answered: headers, and how much may be sent."""

from collections.abc import MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    # Nothing from elsewhere, nothing inline: what an environment says can never become a program.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
MOST_BYTES = 256 * 1024
"""How much a request may send."""


class Walls:
    """Puts the headers on all that is answered, and takes no more than a form can need."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand around an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        taken = 0

        async def receive_bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken <= MOST_BYTES:
                return message
            # To its end, since a browser that still sends does not read the answer.
            while message["type"] == "http.request" and message.get("more_body"):
                message = await receive()
            raise HTTPException(413, f"more than {MOST_BYTES // 1024} KB.")

        async def send_walled(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add(message)
            await send(message)

        await self._app(scope, receive_bounded, send_walled)


def _add(message: MutableMapping[str, Any]) -> None:
    told = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    message["headers"] = [*message["headers"], *told]
