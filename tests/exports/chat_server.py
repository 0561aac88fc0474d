"""A model that plays a policy, served over the loopback as OpenAI's chat completions."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from envscaler_eval.policies import Turn

Reply = Callable[[str, list[dict[str, Any]]], Turn]
"""What the model does next, given the rollout's id and the messages so far."""


class ContextOverflow(Exception):
    """The conversation no longer fits the model."""


@contextmanager
def chat_server(reply: Reply) -> Iterator[str]:
    """Serve a model and give its base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                turn = reply(self.headers.get("X-Session-ID", ""), body["messages"])
                status, content = 200, _completion(body, turn)
            except ContextOverflow:
                status, content = 400, {"error": {"code": "context_length_exceeded"}}
            answer = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 1024

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()


def _completion(body: dict[str, Any], turn: Turn) -> dict[str, Any]:
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    calls = [
        {
            "id": f"call_{turns}_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for number, call in enumerate(turn.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": f"chatcmpl-{turns}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
