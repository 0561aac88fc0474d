"""From a model's words to data, or to a fault that the model can mend."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

Kind = TypeVar("Kind", bound=BaseModel)

_FENCED = re.compile(r"```[a-zA-Z0-9]*\s*\n(.*?)```", re.DOTALL)
_FAULTS_TOLD = 6
_LONGEST = 400


class AnswerFault(ValueError):
    """An answer cannot be used; the message tells the model why."""


class AnswerModel(BaseModel):
    """Base of what steps ask for: nothing is converted, and no field is invented."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def parse_answer(text: str, kind: type[Kind]) -> Kind:
    """Return the answer in a model's reply.

    The reply may be the object alone, or hold it in a fenced block or after words.
    Thoughts that a model speaks aloud, up to `</think>`, are passed over.

    Args:
        text: The reply.
        kind: What it must hold.

    Raises:
        AnswerFault: It holds none, or another.
    """
    found = _object_in(text.rpartition("</think>")[2])
    try:
        # JSON has no tuples; validated from text they come from lists, also strictly.
        return kind.model_validate_json(json.dumps(found))
    except ValidationError as error:
        raise AnswerFault(_told(error)) from None


def _object_in(text: str) -> dict[str, Any]:
    fault: json.JSONDecodeError | None = None
    for candidate in (text, *_FENCED.findall(text), text[text.find("{") :]):
        try:
            value, _ = _DECODER.raw_decode(candidate.strip())
        except json.JSONDecodeError as error:
            fault = error if fault is None or error.pos > fault.pos else fault
            continue
        except (RecursionError, ValueError) as error:
            raise AnswerFault(f"the reply is no JSON that can be read: {error}") from None
        if isinstance(value, dict):
            return value
    if fault is None or "{" not in text:
        raise AnswerFault("the reply holds no JSON object")
    line = fault.doc.splitlines()[fault.lineno - 1][:_LONGEST] if fault.doc else ""
    raise AnswerFault(
        f"the reply is no valid JSON: {fault.msg} at line {fault.lineno}, "
        f"column {fault.colno}: {line}"
    )


# Models write tabs and line ends into strings, which the standard forbids and nobody misreads.
_DECODER = json.JSONDecoder(strict=False)


def _told(error: ValidationError) -> str:
    lines = []
    faults = error.errors(include_url=False)
    for fault in faults[:_FAULTS_TOLD]:
        place = ".".join(map(str, fault["loc"]))
        message = fault["msg"].removeprefix("Value error, ")
        shown = "" if fault["type"] == "missing" else f" (it is {repr(fault['input'])[:_LONGEST]})"
        lines.append(f"- {place}: {message}{shown}" if place else f"- {message}")
    if len(faults) > _FAULTS_TOLD:
        lines.append(f"- and {len(faults) - _FAULTS_TOLD} more")
    return "the answer does not fit the schema:\n" + "\n".join(lines)
