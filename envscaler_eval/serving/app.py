"""The server's routes: chat completions, models, and which faults there were."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from envscaler_eval.errors import UsageError
from envscaler_eval.serving.conversation import BadRequest, Conversation, read_conversation
from envscaler_eval.serving.faults import FaultKind, TransportFault
from envscaler_eval.serving.player import Player
from envscaler_eval.serving.reply import Reply
from envscaler_eval.serving.wire import chunks, completion, error

_SOON = {"retry-after-ms": "20"}
_ERRORS = {
    "429": error("Too many requests", "requests", "rate_limit_exceeded"),
    "500": error("The server failed", "server_error"),
}
_LEFT = 499
"""What web servers log for a client that has left; nobody reads it."""


class _Endpoint:
    def __init__(self, player: Player, delay: float) -> None:
        self._player = player
        self._delay = delay
        self._attempts: Counter[str] = Counter()
        self._faults: Counter[FaultKind] = Counter()

    async def models(self, request: Request) -> Response:
        model = {"id": self._player.name, "object": "model", "created": 0, "owned_by": "envscaler"}
        return JSONResponse({"object": "list", "data": [model]})

    async def faults(self, request: Request) -> Response:
        return JSONResponse(dict(self._faults))

    async def complete(self, request: Request) -> Response:
        try:
            body = _body(await request.body())
            conversation = read_conversation(body)
            fault = self._transport_fault(conversation)
            if fault == "429" or fault == "500":
                return JSONResponse(_ERRORS[fault], int(fault), _SOON)
            if fault == "timeout" and await _leaves(request, self._delay):
                return Response(status_code=_LEFT)
            reply, spoilt = self._player.reply(conversation)
        except (BadRequest, UsageError) as refusal:
            return JSONResponse(error(str(refusal), "invalid_request_error"), 400)
        response = self._response(body, conversation, reply)
        if fault == "dropped":
            return _Dropped(response)
        if spoilt:
            self._faults[spoilt] += 1
        return response

    def _response(self, body: dict[str, Any], conversation: Conversation, reply: Reply) -> Response:
        model = str(body.get("model") or self._player.name)
        if not body.get("stream"):
            return JSONResponse(completion(reply, model, conversation))
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        events = chunks(reply, model, conversation, usage)
        return StreamingResponse(_each(events), media_type="text/event-stream")

    async def respond(self, request: Request) -> Response:
        told = (
            "only chat completions are served here; "
            "Inspect's provider openai/ uses them with -M responses_api=false"
        )
        return JSONResponse(error(told, "invalid_request_error"), 404)

    def _transport_fault(self, conversation: Conversation) -> TransportFault | None:
        plan = self._player.plan
        if not plan.loses_replies:
            return None
        digest = conversation.now.digest
        attempt = self._attempts[digest]
        self._attempts[digest] += 1
        opening = len(conversation.moments) == 1
        fault = plan.of_transport(digest, attempt, opening)
        if fault:
            self._faults[fault] += 1
        return fault


def build_app(player: Player, delay: float = 60.0) -> Starlette:
    """Return the server as an ASGI application.

    Args:
        player: What answers.
        delay: How long a reply takes that is to time out, in seconds.
    """
    endpoint = _Endpoint(player, delay)
    return Starlette(
        routes=[
            Route("/v1/models", endpoint.models, methods=["GET"]),
            Route("/v1/chat/completions", endpoint.complete, methods=["POST"]),
            Route("/v1/responses", endpoint.respond, methods=["POST"]),
            Route("/faults", endpoint.faults, methods=["GET"]),
        ]
    )


def _body(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        raise BadRequest("the request's body is no JSON") from None
    if not isinstance(body, dict):
        raise BadRequest("the request's body must be an object")
    if body.get("n") not in {None, 1}:
        raise BadRequest("one choice is made for each request; leave 'n' out")
    return body


async def _leaves(request: Request, within: float) -> bool:
    """Wait, and return whether the client left meanwhile."""
    with anyio.move_on_after(within):
        while (await request.receive())["type"] != "http.disconnect":
            pass
        return True
    return False


async def _each(events: Iterable[str]) -> AsyncIterator[str]:
    for event in events:
        yield event


class _Dropped(Response):
    """A response that breaks off: its first part comes, and then the connection is closed."""

    def __init__(self, whole: Response) -> None:
        super().__init__()
        self._whole = whole

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        first = True

        async def send_first(message: Message) -> None:
            nonlocal first
            if message["type"] == "http.response.start":
                await send(message)
            elif first:
                first = False
                body = message["body"]
                await send({**message, "body": body[: len(body) // 2], "more_body": True})

        await self._whole(scope, receive, send_first)
