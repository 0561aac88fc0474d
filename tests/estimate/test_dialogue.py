"""The estimate's dialogues are those of a real run of the oracle."""

import json
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, ChatMessageAssistant, messages_to_openai

from envscaler_eval.estimate import Generation, play_dialogue
from envscaler_eval.pack import locate, read_pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.solvers.protocol import PROTOCOLS, ProtocolName
from envscaler_eval.solvers.user_strategies import REACT_FORM
from tests.inspect_runs import run

ENV = "grant_office"
WIRE_BOUND = 0.2
"""How much more goes over the wire than the estimate counts: roles, ids, JSON's quotes."""


def _events(sample: EvalSample, role: str | None) -> list[ModelEvent]:
    return [e for e in sample.events if isinstance(e, ModelEvent) and e.role == role]


def _text(messages: list[ChatMessage]) -> int:
    """Return how much is said and called in messages."""
    calls = [
        call
        for message in messages
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or []
    ]
    said = sum(len(message.text) for message in messages)
    return said + sum(len(c.function) + len(json.dumps(c.arguments)) for c in calls)


async def _wire(event: ModelEvent) -> int:
    """Return the length of a request's messages and tools in the form of chat completions."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters.model_dump(exclude_none=True),
            },
        }
        for tool in event.tools
    ]
    messages = await messages_to_openai(event.input)
    return len(json.dumps({"messages": messages, "tools": tools}, ensure_ascii=False))


def _assert_same(
    generations: Sequence[Generation], events: list[ModelEvent], unsent: int = 0
) -> None:
    assert len(generations) == len(events)
    for generation, event in zip(generations, events, strict=True):
        read = generation.read
        assert read.prose + read.data == _text(event.input) + unsent
        assert generation.written.characters == _text([event.output.message])
        sent = anyio.run(_wire, event) + unsent
        assert read.characters <= sent <= read.characters * (1 + WIRE_BOUND)


@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_each_generation_reads_and_writes_as_much_as_in_the_run(
    protocol: ProtocolName, tmp_path: Path
) -> None:
    log = run(
        *(ENV, "policy/oracle", tmp_path, "policy/user"),
        mode="both",
        protocol=protocol,
        scenarios_per_env=2,
    )
    pack = read_pack(locate(ENV))
    runtime = InProcessRuntime(pack.environment)
    samples = read_eval_log(log.location, resolve_attachments="full").samples
    assert samples is not None and len(samples) == 4
    for sample in samples:
        scenario = pack.scenario(sample.metadata["scenario"])
        mode = sample.metadata["mode"]
        dialogue = play_dialogue(pack, scenario, runtime, mode, PROTOCOLS[protocol])
        _assert_same(dialogue.agent, _events(sample, None))
        # The scripted user is not told how to think in writing, as a model would be.
        untold = len(REACT_FORM) if protocol == "paper" else 0
        _assert_same(dialogue.user, _events(sample, "user"), untold)
        assert bool(dialogue.user) == (mode == "conv")
