"""What two environments' tools have in common by name."""

from collections.abc import Hashable, Set
from typing import NamedTuple

from envscaler_eval.results.similarity.texts import EnvironmentText


class Overlap(NamedTuple):
    """How much of the tools of two environments is shared: Jaccard indices, from 0 to 1.

    Attributes:
        tools: Names of tools, shared / in either.
        parameters: Parameters (name and JSON type), shared / in either.
    """

    tools: float
    parameters: float


def overlap(first: EnvironmentText, second: EnvironmentText) -> Overlap:
    """Return what the tools of two environments have in common."""
    return Overlap(
        _jaccard(_tool_names(first), _tool_names(second)),
        _jaccard(_parameters(first), _parameters(second)),
    )


def _tool_names(text: EnvironmentText) -> set[str]:
    return {tool.name.lower() for tool in text.tools}


def _parameters(text: EnvironmentText) -> set[tuple[str, str]]:
    return {
        (name.lower(), str(schema.get("type")))
        for tool in text.tools
        for name, schema in tool.parameters["properties"].items()
    }


def _jaccard(first: Set[Hashable], second: Set[Hashable]) -> float:
    either = first | second
    return len(first & second) / len(either) if either else 0.0
