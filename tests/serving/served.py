"""Policies served on loopback, and models that reach them there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import Model, get_model
from openai import OpenAI

from envscaler_eval.pack import read_pack
from envscaler_eval.serving import FaultPlan, Player, PolicyServer, build_app

DELAY = 30.0
"""How long a reply takes that is to time out: longer than any test, since clients leave."""

PATIENCE = 2.0
"""How long the client of such a reply waits, in seconds."""


@contextmanager
def serving(
    policy: str, packs: Sequence[Path], *faults: str, seed: int = 0, delay: float = DELAY
) -> Iterator[str]:
    """Serve a policy and give the base URL."""
    plan = FaultPlan.parse(faults, seed)
    player = Player(policy, [_read(pack) for pack in packs], plan, seed)
    with PolicyServer(build_app(player, delay)) as server:
        yield server.url


_read = cache(read_pack)


def remote(url: str, name: str = "openai-api/served/model", **arguments: Any) -> Model:
    """Return a served policy as a model of Inspect."""
    return get_model(name, base_url=url, api_key="none", memoize=False, **arguments)


def client(url: str) -> OpenAI:
    """Return OpenAI's own client, without retries."""
    return OpenAI(base_url=url, api_key="none", max_retries=0)


def generations(sample: EvalSample) -> list[ModelEvent]:
    """Return the generations of the model under test."""
    return [e for e in sample.events if isinstance(e, ModelEvent) and e.role is None]


def sent(event: ModelEvent) -> list[dict[str, Any]]:
    """Return the messages of a generation as they were put on the wire."""
    assert event.call is not None
    messages = event.call.request["messages"]
    assert isinstance(messages, list)
    return [message for message in messages if isinstance(message, dict)]
