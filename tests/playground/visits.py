"""Visitors without a browser: what their pages send, and what comes back."""

import re
from types import TracebackType
from typing import Any

import httpx


class Visit:
    """Someone on the page, with cookies of their own."""

    def __init__(self, url: str) -> None:
        """Come.

        Args:
            url: Where the playground is.
        """
        self.client = httpx.Client(base_url=url, timeout=60, headers={"x-playground": "page"})

    def post(self, path: str, **texts: str) -> dict[str, Any]:
        """Send a form and return the reply."""
        answer = self.client.post(path, files={k: (None, v) for k, v in texts.items()} or None)
        reply: dict[str, Any] = answer.json()
        return reply

    def get(self, path: str) -> str:
        """Return a page."""
        return self.client.get(path).text

    def play(self, env: str, scenario: str) -> dict[str, Any]:
        """Start playing a scenario."""
        return self.post("/play/start", env=env, scenario=scenario)

    def steps(self) -> list[str]:
        """Return the tools that the page shows as called, the last one first."""
        return re.findall(r'class="step \w+".*?class="name">(\w+)<', self.get("/play"), re.DOTALL)

    def leave(self) -> None:
        """Close the page, as a browser tells it."""
        self.client.post("/leave", content="page")

    def __enter__(self) -> "Visit":
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the connection go."""
        self.client.close()
