"""Running a web application, in the foreground or beside what talks to it."""

import socket
import threading
from types import TracebackType

import uvicorn
from starlette.types import ASGIApp

from envscaler_eval.errors import UsageError

LOOPBACK = "127.0.0.1"
_BACKLOG = 2048
_GRACE = 1


class WebServer:
    """A server on an address of its own; a context manager that runs it in a thread.

    Attributes:
        url: Where it is.
    """

    def __init__(
        self, app: ASGIApp, host: str = LOOPBACK, port: int = 0, log_level: str = "warning"
    ) -> None:
        """Take the address; clients may connect from now on and are answered once it runs.

        Args:
            app: What answers.
            host: The address; only this machine reaches the default.
            port: The port; 0 takes any that is free.
            log_level: From which level on the server's own lines are shown.

        Raises:
            UsageError: The address cannot be had.
        """
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
        except OSError as fault:
            self._socket.close()
            raise UsageError(
                f"cannot serve on {host}:{port}: {fault.strerror or fault}; "
                "choose another --port, or 0 for any that is free"
            ) from None
        self._socket.listen(_BACKLOG)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app, log_level=log_level, access_log=False, timeout_graceful_shutdown=_GRACE
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until interrupted."""
        self._server.run(sockets=[self._socket])

    def __enter__(self) -> "WebServer":
        """Serve in a thread."""
        self._thread = threading.Thread(target=self.run, name="web-server", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
