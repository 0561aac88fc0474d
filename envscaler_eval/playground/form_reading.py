"""Arguments, read from what was typed into a form."""

from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_eval import strict_json
from envscaler_eval.playground.form_entries import JSON_NAME, Texts, shown_entries
from envscaler_eval.playground.form_fields import Field, FieldKind

_LEFT_OUT = object()
_DEEPEST = 100


class FormError(Exception):
    """What was typed cannot be read.

    Attributes:
        faults: What is wrong, by the name of the field.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        """Say what is wrong where."""
        told = (f"{name.removeprefix('#')}: {fault}" for name, fault in faults.items())
        super().__init__("; ".join(told))
        self.faults = faults


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
    for key, value in arguments.items():
        _require_shallow(key, value)
    return arguments


def arguments_from_json(text: str) -> dict[str, Any]:
    """Read arguments that were written as JSON.

    Raises:
        FormError: It is no JSON object.
    """
    try:
        arguments = strict_json.load(text)
    except (ValueError, RecursionError) as fault:
        raise FormError({JSON_NAME: f"is no JSON: {fault}"}) from None
    if not isinstance(arguments, dict):
        raise FormError({JSON_NAME: 'is no JSON object; write {"name": value}'})
    _require_shallow(JSON_NAME, arguments)
    return arguments


def _require_shallow(name: str, value: Any) -> None:
    """Refuse what is nested more deeply than a call can be.

    Raises:
        FormError: It is.
    """
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [
            inner
            for one in layer
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not layer:
            return
    raise FormError({name: f"is nested more than {_DEEPEST} deep"})


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
