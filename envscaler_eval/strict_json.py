"""JSON as its standard has it: no NaN, no infinity, and each key once."""

import json
from typing import Any


def load(text: str) -> Any:
    """Read a JSON text.

    Raises:
        ValueError: It is no JSON, or repeats a key.
    """
    return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_without_repeats)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value; write a number or null")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key '{repeated}' occurs twice in one object; keep one")
    return mapping
