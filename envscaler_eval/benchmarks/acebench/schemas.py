"""From upstream's tool schemas to JSON Schema."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from envscaler_eval.world import ToolSpec

# Names of types that upstream uses beside JSON Schema's own.
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "dict": "object",
        "list": "array",
        "int": "integer",
        "float": "number",
        "bool": "boolean",
        "str": "string",
    }
)


def tool_spec(schema: Mapping[str, Any]) -> ToolSpec:
    """Return a tool as JSON Schema describes it.

    Args:
        schema: Upstream's `{name, description, parameters}`.

    Returns:
        The same with JSON Schema's type names, requiring no argument that it
        does not describe (English `reserve_flight` requires `payment_methods`).
    """
    return ToolSpec(
        name=schema["name"],
        description=schema["description"],
        parameters=_converted(schema["parameters"]),
    )


def _converted(schema: Mapping[str, Any]) -> dict[str, Any]:
    converted = dict(schema)
    if "type" in schema:
        converted["type"] = _TYPES.get(schema["type"], schema["type"])
    if "properties" in schema:
        properties = schema["properties"]
        converted["properties"] = {key: _converted(value) for key, value in properties.items()}
        if "required" in schema:
            converted["required"] = [key for key in schema["required"] if key in properties]
    if isinstance(schema.get("items"), Mapping):
        converted["items"] = _converted(schema["items"])
    return converted
