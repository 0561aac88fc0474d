"""Tools as Python methods, for trainers that read schemas from signatures and docstrings.

The subset of types is the one of `transformers.utils.get_json_schema`.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from types import GenericAlias
from typing import Any, Literal, Union

from envscaler_eval.world import ToolSpec

Dispatch = Callable[[Any, str, dict[str, Any]], str]
"""Makes a call on an instance, by name and arguments."""

_SCALARS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": type(None),
}


def tool_method(tool: ToolSpec, dispatch: Dispatch) -> Callable[..., str]:
    """Return a method that makes the calls of a tool and looks like one written by hand.

    It takes whatever it is given: what does not fit the schema is the episode's to judge.

    Args:
        tool: The tool.
        dispatch: What makes the calls.
    """

    def method(self: Any, /, **arguments: Any) -> str:
        return dispatch(self, tool.name, arguments)

    parameters = _parameters(tool)
    method.__name__ = method.__qualname__ = tool.name
    method.__doc__ = _docstring(tool)
    method.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([receiver, *parameters], return_annotation=str)
    setattr(method, "__signature__", signature)  # noqa: B010 - no attribute that mypy knows
    return method


def _parameters(tool: ToolSpec) -> list[inspect.Parameter]:
    required = tool.parameters.get("required", ())
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in required else schema.get("default"),
            annotation=annotation(schema),
        )
        for name, schema in tool.parameters["properties"].items()
    ]


def annotation(schema: Mapping[str, Any]) -> Any:
    """Return the type hint that says most of what a schema says."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return Union[tuple(annotation(option) for option in schema["anyOf"])]  # noqa: UP007
    match schema.get("type"):
        case "array":
            return GenericAlias(list, annotation(schema["items"])) if "items" in schema else list
        case "object":
            values = schema.get("additionalProperties")
            if not isinstance(values, Mapping):
                return dict
            return GenericAlias(dict, (str, annotation(values)))
        case str() as name:
            return _SCALARS[name]
        case _:
            return Any


def _docstring(tool: ToolSpec) -> str:
    properties = tool.parameters["properties"]
    if not properties:
        return tool.description
    lines = [f"    {name}: {_described(name, schema)}" for name, schema in properties.items()]
    return "\n".join([tool.description, "", "Args:", *lines])


def _described(name: str, schema: Mapping[str, Any]) -> str:
    """Return what is known of an argument and does not go into a type hint."""
    parts = [schema.get("description") or name.replace("_", " ").capitalize()]
    shape = {key: value for key, value in schema.items() if key not in ("description", "default")}
    if _is_lossy(shape):
        parts.append(f"JSON schema: {json.dumps(shape)}")
    if "default" in schema:
        parts.append(f"Default: {json.dumps(schema['default'])}")
    return ". ".join(part.rstrip(".") for part in parts) + "."


def _is_lossy(schema: Any) -> bool:
    """Whether a type hint cannot say all of a schema: fields of objects, and formats."""
    if isinstance(schema, Mapping):
        return "properties" in schema or "format" in schema or any(map(_is_lossy, schema.values()))
    return isinstance(schema, list) and any(map(_is_lossy, schema))
