"""What agents see of results, and what is kept of states."""

import json
from typing import Any


def readable_error(error: Exception) -> str:
    """Return what an agent reads of an exception."""
    return f"Error during execution: {error}"


def parsed(result: Any) -> Any:
    """Return a result as upstream shows it.

    Results become texts, dicts by JSON and others by `str`, and texts that are
    JSON become values again: so integer keys become strings and a list stays a
    text (`multi_turn_utils.execute_agent_func_call`, `EXECUTION.respond`).

    Args:
        result: What a tool returned.
    """
    text = _text(result)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(result: Any) -> str:
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except (TypeError, ValueError, RecursionError):
            return str(result)
    return str(result)


def json_copy(value: Any) -> Any:
    """Return a value as it is after a round trip through JSON.

    Args:
        value: Any value; what JSON does not know becomes its `repr`, so that no
            argument that an agent stored can spoil a state.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {_key(key): json_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_copy(item) for item in value]
    return repr(value)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, int | float):
        return json.dumps(key)
    return repr(key)
