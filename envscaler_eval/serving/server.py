"""The server of policies."""

from starlette.types import ASGIApp

from envscaler_eval.web_server import LOOPBACK, WebServer


class PolicyServer(WebServer):
    """A server of an OpenAI-compatible application.

    Attributes:
        url: The base URL that clients need.
    """

    def __init__(self, app: ASGIApp, host: str = LOOPBACK, port: int = 0) -> None:
        """Take the address; see `WebServer`."""
        # Broken connections are served on purpose and are not worth a line.
        super().__init__(app, host, port, log_level="critical")
        self.url += "/v1"
