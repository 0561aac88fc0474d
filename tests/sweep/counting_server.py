"""A model behind HTTP that counts the requests it has at once."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_PATIENCE = 0.3


class Counts:
    """How many requests are in flight, and were at most."""

    def __init__(self, expected: int) -> None:
        """Expect so many at once."""
        self.highest = self.served = self._now = 0
        self._expected = expected
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Begin a request, which waits a moment until as many as are expected are there."""
        with self._changed:
            self._now += 1
            self.served += 1
            self.highest = max(self.highest, self._now)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._now > self._expected, timeout=_PATIENCE)

    def leave(self) -> None:
        """End a request."""
        with self._changed:
            self._now -= 1


@contextmanager
def counting_server(expected: int) -> Iterator[tuple[str, Counts]]:
    """Serve a model that says that it is done; give its address and the counts."""
    counts = Counts(expected)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            counts.enter()
            message = {"role": "assistant", "content": "Done."}
            answer = json.dumps(
                {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "one",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
            ).encode()
            counts.leave()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", counts
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
