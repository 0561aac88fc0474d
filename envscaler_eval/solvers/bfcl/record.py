"""What a log keeps of a BFCL conversation: the official result, enough to check it again."""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Literal

from inspect_ai.model import ModelOutput
from pydantic import BaseModel

from envscaler_eval.benchmarks.bfcl import Snapshot
from envscaler_eval.benchmarks.bfcl.checker import Step
from envscaler_eval.benchmarks.bfcl.decoding import decode_calls, decode_text
from envscaler_eval.solvers.record import EndedBy

CallingMode = Literal["fc", "prompt"]
Protocol = Literal["official", "paper"]

ResultStep = list[dict[str, str]] | str
"""A generation as official result files have it: calls, name to JSON text, or else the text."""


class BfclRecord(BaseModel):
    """What a log keeps of a conversation.

    Attributes:
        snapshot: The data and backends that it used.
        wheel: The sha256 of the wheel that these are from.
        protocol: The rules it was held by.
        mode: How the model calls: through the API, or in text.
        ended_by: What ended it.
        inference_error: Whether that is officially a failed inference, which
            has no result.
        steps: How many generations the model had.
        malformed: How many of them held calls that could not be read.
        result: Turn -> generation, as in an official result file.
        observations: SHA-256 of what the calls returned, in order.
    """

    snapshot: Snapshot
    wheel: str
    protocol: Protocol
    mode: CallingMode
    ended_by: EndedBy
    inference_error: bool
    steps: int
    malformed: int
    result: list[list[ResultStep]]
    observations: str


def result_step(output: ModelOutput) -> ResultStep:
    """Return a generation as official result files have it."""
    calls = output.message.tool_calls
    if not calls:
        return output.message.text
    # What could not be parsed stays what it is: no JSON.
    return [
        {call.function: call.parse_error or json.dumps(call.arguments, default=str)}
        for call in calls
    ]


def decode_step(step: ResultStep, mode: CallingMode, snapshot: Snapshot) -> Step:
    """Return the calls of a generation, none if officially it has none."""
    if isinstance(step, str):
        return decode_text(step, snapshot) if mode == "prompt" else []
    return decode_calls(
        [{"name": name, "arguments": text} for call in step for name, text in call.items()]
    )


def decode_result(record: BfclRecord) -> list[list[Step]]:
    """Return the calls of a conversation, by turn and generation."""
    return [
        [decode_step(step, record.mode, record.snapshot) for step in steps]
        for steps in record.result
    ]


def observations_hash(observations: Iterable[str]) -> str:
    """Return the hash by which a replay is known to be the same.

    The order of words is left out: some backends list sets, whose order changes
    from process to process.
    """
    words = [sorted(re.findall(r"\w+", observation)) for observation in observations]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()
