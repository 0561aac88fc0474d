"""The tools of an entry as models see them, turn by turn."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from envscaler_eval.benchmarks.bfcl.dataset import Dataset, Entry, FunctionDoc
from envscaler_eval.world import ToolSpec

_HINT = " Note that the provided function is in Python 3 syntax."
_FLOAT = " This is a float type value."
_RESPONSE = " The response field has the following schema: "

# Types in the documents -> types of JSON Schema; any other becomes a string.
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "integer": "integer",
        "number": "number",
        "float": "number",
        "boolean": "boolean",
        "bool": "boolean",
        "array": "array",
        "list": "array",
        "tuple": "array",
        "dict": "object",
        "object": "object",
    }
)


def held_out(dataset: Dataset, entry: Entry, turn: int) -> list[FunctionDoc]:
    """Return the descriptions of the tools that a turn reveals, as they are."""
    names = entry.held_out.get(turn, ())
    by_name = {doc["name"]: doc for doc in _all_docs(dataset, entry)}
    return [by_name[name] for name in names if name in by_name]


def offered(dataset: Dataset, entry: Entry, turn: int) -> list[FunctionDoc]:
    """Return the descriptions of the tools that are offered in a turn.

    The hint about Python is added as officially: in v4 to the tools that are
    there from the start; in v3 to all, again whenever tools are revealed.

    Args:
        dataset: The snapshot.
        entry: The entry.
        turn: The turn, from 0.
    """
    hidden = {name for names in entry.held_out.values() for name in names}
    reveals = sorted(at for at in entry.held_out if at <= turn)
    v3 = dataset.snapshot == "v3"
    docs = [
        _hinted(doc, 1 + len(reveals) if v3 else 1)
        for doc in _all_docs(dataset, entry)
        if doc["name"] not in hidden
    ]
    for place, at in enumerate(reveals):
        hints = len(reveals) - place if v3 else 0
        docs += [_hinted(doc, hints) for doc in held_out(dataset, entry, at)]
    return docs


def tool_specs(docs: Sequence[FunctionDoc], describe_responses: bool = False) -> list[ToolSpec]:
    """Return tools in the form in which they are sent to an API.

    Args:
        docs: Their official descriptions.
        describe_responses: Whether to add the schema of what a tool returns to
            its description, in the official words. Officially this is done for
            APIs that have no place for it elsewhere.
    """
    return [
        ToolSpec(
            name=doc["name"].replace(".", "_"),
            description=doc["description"]
            + (_RESPONSE + json.dumps(doc["response"]) if describe_responses else ""),
            parameters={
                **doc["parameters"],
                "type": "object",
                "properties": _properties(doc["parameters"]["properties"]),
            },
        )
        for doc in docs
    ]


def _all_docs(dataset: Dataset, entry: Entry) -> list[FunctionDoc]:
    return [doc for class_name in entry.classes for doc in dataset.docs[class_name]]


def _hinted(doc: FunctionDoc, times: int) -> FunctionDoc:
    return {**doc, "description": doc["description"] + times * _HINT}


def _properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _schema(schema) for name, schema in properties.items()}


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    converted = {**schema, "type": _TYPES.get(schema.get("type", ""), "string")}
    if schema.get("type") == "float":
        converted["format"] = "float"
        converted["description"] = schema["description"] + _FLOAT
    if converted["type"] in ("array", "object"):
        if "properties" in schema:
            converted["properties"] = _properties(schema["properties"])
        elif "items" in schema:
            converted["items"] = _items(schema["items"])
    return converted


def _items(items: Mapping[str, Any]) -> dict[str, Any]:
    converted = {**items, "type": _TYPES.get(items["type"], "string")}
    if converted["type"] == "array" and "items" in items:
        inner = items["items"]
        converted["items"] = {**inner, "type": _TYPES.get(inner["type"], "string")}
    elif converted["type"] == "object" and "properties" in items:
        converted["properties"] = _properties(items["properties"])
    return converted
