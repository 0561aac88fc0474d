"""The fields of a form, made from a tool's schema."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

FieldKind = Literal[
    "text", "integer", "number", "boolean", "choice", "object", "list", "mapping", "json"
]

_SIMPLE: dict[object, FieldKind] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


@dataclass(frozen=True)
class Field:
    """A place in a form.

    Attributes:
        key: Its name among its siblings.
        kind: What it takes.
        about: What it is for.
        required: Whether it must be given.
        nullable: Whether it may be null.
        choices: For a choice, the values.
        default: The value that holds where it is left out, as JSON; empty for none.
        fields: For an object, what it holds.
        entry: For a list or a mapping, what each entry is.
    """

    key: str
    kind: FieldKind
    about: str = ""
    required: bool = True
    nullable: bool = False
    choices: Sequence[Any] = ()
    default: str = ""
    fields: Sequence["Field"] = field(default_factory=tuple)
    entry: "Field | None" = None

    @property
    def label(self) -> str:
        """The key as words."""
        return self.key.replace("_", " ").strip().capitalize()


def form_of(parameters: Mapping[str, Any]) -> Sequence[Field]:
    """Return the fields for a tool's parameters.

    Args:
        parameters: The JSON Schema of the arguments, an object schema without references.
    """
    return _fields(parameters)


def place_of(fields: Sequence[Field], name: str) -> Field | None:
    """Return the field of a name, such as the list of `lines` or of `lines/0/tags`."""
    here: Field | None = Field("", "object", fields=fields)
    for key in name.split("/"):
        if here is None:
            return None
        if here.kind == "object":
            here = next((inner for inner in here.fields if inner.key == key), None)
        elif here.entry is not None and key.isdigit():
            here = here.entry
        else:
            # The value of a mapping's entry stands at `name/0/value`.
            here = here if key == "value" and here.kind == "mapping" else None
    return here


def _fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    required = schema.get("required", ())
    return tuple(
        _field(key, inner, key in required) for key, inner in schema.get("properties", {}).items()
    )


def _field(key: str, schema: Mapping[str, Any], required: bool) -> Field:
    variants = [dict(one) for one in schema.get("anyOf", ())]
    told = [one for one in variants if one.get("type") != "null"]
    nullable = len(told) < len(variants)
    if len(told) == 1:
        schema = {**told[0], **{key: schema[key] for key in schema if key != "anyOf"}}
    elif told and all("enum" in one for one in told):
        merged = [value for one in told for value in one["enum"]]
        schema = {**schema, "enum": list(dict.fromkeys(merged))}
    about = str(schema.get("description", ""))
    default = schema.get("default")
    shown = "" if default in (None, "") else json.dumps(default, ensure_ascii=False)

    def made(kind: FieldKind, **more: Any) -> Field:
        return Field(key, kind, about, required, nullable, default=shown, **more)

    if "enum" in schema:
        return made("choice", choices=tuple(schema["enum"]))
    if schema.get("type") == "object" and schema.get("properties"):
        return made("object", fields=_fields(schema))
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return made("mapping", entry=_field("value", schema["additionalProperties"], True))
    if schema.get("type") == "array" and isinstance(schema.get("items"), dict):
        return made("list", entry=_field("", schema["items"], True))
    simple = _SIMPLE.get(schema.get("type"))
    return made(simple if simple and "anyOf" not in schema else "json")
