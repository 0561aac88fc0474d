"""Tools as forms: fields made from a tool's schema, and arguments read from what was typed.

A form travels as a flat mapping from field names to texts. The name of a field is its
path, `lines/0/units`; `lines#` says how many entries the list `lines` shows.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from envscaler_eval import strict_json

FieldKind = Literal[
    "text", "integer", "number", "boolean", "choice", "object", "list", "mapping", "json"
]

Texts = Mapping[str, str]

_LEFT_OUT = object()
_SIMPLE: dict[object, FieldKind] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
_MOST_ENTRIES = 50


class FormError(Exception):
    """What was typed cannot be read.

    Attributes:
        faults: What is wrong, by the name of the field.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        """Say what is wrong where."""
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in faults.items()))
        self.faults = faults


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


def arguments_of(fields: Sequence[Field], texts: Texts) -> dict[str, Any]:
    """Read arguments from what was typed.

    Optional fields that are empty are left out. What is typed goes to the episode as it
    is: whether the values are right is for the environment to say.

    Args:
        fields: The form.
        texts: What was typed, by field name.

    Raises:
        FormError: A number is no number, or JSON is none.
    """
    faults: dict[str, str] = {}
    arguments = _object(fields, "", texts, faults)
    if faults:
        raise FormError(faults)
    return arguments


def arguments_from_json(text: str) -> dict[str, Any]:
    """Read arguments that were written as JSON.

    Raises:
        FormError: It is no JSON object.
    """
    try:
        arguments = strict_json.load(text)
    except (ValueError, RecursionError) as fault:
        raise FormError({"json": f"is no JSON: {fault}"}) from None
    if not isinstance(arguments, dict):
        raise FormError({"json": 'is no JSON object; write {"name": value}'})
    return arguments


def shown_entries(place: Field, name: str, texts: Texts) -> int:
    """Return how many entries a list or a mapping shows: what was asked for, or one where needed.

    Args:
        place: The list or mapping.
        name: Its name in the form.
        texts: What was typed.
    """
    told = texts.get(f"{name}#", "")
    if told.isascii() and told.isdigit():
        return min(int(told), _MOST_ENTRIES)
    return int(place.required)


def with_entry(texts: Texts, name: str, shown: int) -> dict[str, str]:
    """Return a form with one more entry in the list `name`, which shows so many."""
    return {**texts, f"{name}#": str(min(shown + 1, _MOST_ENTRIES))}


def without_entry(texts: Texts, name: str, place: int, shown: int) -> dict[str, str]:
    """Return a form without one of a list's entries; those after it move up.

    Args:
        texts: What was typed.
        name: The list.
        place: The entry, from 0.
        shown: How many entries there were.
    """
    inside = re.compile(re.escape(name) + r"/(\d+)(.*)", re.DOTALL)
    kept: dict[str, str] = {}
    for key, text in texts.items():
        found = inside.fullmatch(key)
        if found is None:
            kept[key] = text
        elif int(found[1]) != place:
            number = int(found[1]) - (int(found[1]) > place)
            kept[f"{name}/{number}{found[2]}"] = text
    return {**kept, f"{name}#": str(max(shown - 1, 0))}


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


def _object(
    fields: Sequence[Field], prefix: str, texts: Texts, faults: dict[str, str]
) -> dict[str, Any]:
    read = {one.key: _value(one, prefix + one.key, texts, faults) for one in fields}
    return {key: value for key, value in read.items() if value is not _LEFT_OUT}


def _value(place: Field, name: str, texts: Texts, faults: dict[str, str]) -> Any:
    match place.kind:
        case "object":
            if not place.required and not _touched(name, texts):
                return _LEFT_OUT
            return _object(place.fields, f"{name}/", texts, faults)
        case "list" | "mapping":
            return _entries(place, name, texts, faults)
    text = texts.get(name, "")
    # Browsers send line ends as the web has them, and environments as Python does.
    text = text.replace("\r\n", "\n")
    if not text.strip() and not (place.kind == "text" and text):
        if not place.required:
            return _LEFT_OUT
        if place.nullable:
            return None
        if place.kind != "text":
            faults[name] = "is needed"
        return text
    try:
        return _scalar(place.kind, text)
    except (ValueError, RecursionError):
        faults[name] = _WANTED[place.kind]
        return None


_WANTED: dict[FieldKind, str] = {
    "integer": "is no whole number",
    "number": "is no number",
    "boolean": "is neither yes nor no",
    "choice": "is none of the choices",
    "json": 'is no JSON; texts stand in quotes, as in "this"',
}


def _scalar(kind: FieldKind, text: str) -> Any:
    """Read a value.

    Raises:
        ValueError: It is none.
    """
    match kind:
        case "text":
            return text
        case "integer":
            return int(text)
        case "number":
            number = strict_json.load(text)
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError(text)
            return number
        case "boolean":
            return ("false", "true").index(text) == 1
        case _:
            return strict_json.load(text)


def _entries(place: Field, name: str, texts: Texts, faults: dict[str, str]) -> Any:
    shown = shown_entries(place, name, texts)
    if not shown and not place.required:
        return _LEFT_OUT
    assert place.entry is not None
    numbers = range(shown)
    if place.kind == "list":
        return [_value(place.entry, f"{name}/{number}", texts, faults) for number in numbers]
    found: dict[str, Any] = {}
    for number in numbers:
        key = texts.get(f"{name}/{number}/key", "")
        if key in found:
            faults[f"{name}/{number}/key"] = "is there twice"
        found[key] = _value(place.entry, f"{name}/{number}/value", texts, faults)
    return found


def _touched(name: str, texts: Texts) -> bool:
    return any(
        key.startswith(f"{name}/") and text.strip() and not key.endswith("#")
        for key, text in texts.items()
    )
