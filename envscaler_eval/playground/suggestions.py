"""What a field may be filled with: identifiers and the like that the state holds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from envscaler_eval.state import State
from envscaler_eval.world import ToolSpec

_MOST = 60
_LONGEST = 40


def suggestions(tools: Iterable[ToolSpec], state: State) -> dict[str, Sequence[str]]:
    """Return values that parameters of a name may take.

    A parameter `room_id` is offered what stands in the state under that key, and the keys
    of the collection `rooms`.

    Args:
        tools: The tools whose parameters are filled.
        state: The state.
    """
    known: dict[str, dict[str, None]] = {}
    for key, value in _texts(state):
        if len(value) <= _LONGEST:
            known.setdefault(key, {})[value] = None
    wanted = {name for tool in tools for name in _text_parameters(tool.parameters)}
    return {
        name: sorted(known[name])[:_MOST] for name in sorted(wanted) if len(known.get(name, ())) > 1
    }


def _text_parameters(schema: Mapping[str, Any]) -> Iterator[str]:
    for key, inner in schema.get("properties", {}).items():
        yield key
        yield from _text_parameters(inner)
        yield from _text_parameters(inner.get("items", {}))


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield texts with the names of the parameters that may take them."""
    if isinstance(value, dict):
        collection = bool(key) and all(isinstance(item, dict) for item in value.values())
        for inner, item in value.items():
            if collection:
                yield f"{_singular(key)}_id", inner
            yield from _texts(item, key if collection else inner)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, _singular(key))
    elif isinstance(value, str) and value:
        yield key, value


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name.removesuffix("s")
