"""One record of a released file, read field by field."""

import json
from collections.abc import Mapping
from typing import Any

from envscaler_eval.synth.importers.report import ItemFault

_MARKERS = ("__type__", "py/object")
"""Keys by which EnvScaler's intermediate files mark values that JSON lacks."""


class OfficialRecord:
    """A record, and where it stands."""

    def __init__(self, place: str, content: Any) -> None:
        """Take a record.

        Args:
            place: The file and the item, for messages.
            content: The record.

        Raises:
            ItemFault: It is no mapping.
        """
        self.place = place
        if not isinstance(content, Mapping):
            raise self.fault("", f"is a {type(content).__name__}; each item must be a mapping")
        self._content = content

    def fault(self, field: str, told: str) -> ItemFault:
        """Return the fault of a field of this record."""
        return ItemFault(f"{self.place}: {field}: {told}" if field else f"{self.place}: {told}")

    def text(self, field: str) -> str:
        """Return a text that must be there.

        Raises:
            ItemFault: It is missing, empty or no text.
        """
        value = self.optional_text(field)
        if not value:
            raise self.fault(field, "is missing; add it")
        return value

    def optional_text(self, field: str) -> str:
        """Return a text, or an empty one where there is none.

        Raises:
            ItemFault: It is no text.
        """
        value = self._content.get(field)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.fault(field, f"is a {type(value).__name__}; write a text")
        return value.replace("\r\n", "\n").replace("\r", "\n")

    def mapping(self, field: str) -> dict[str, Any]:
        """Return a mapping that must be there, as itself or as JSON text.

        Raises:
            ItemFault: It is missing, no mapping, or holds what JSON lacks.
        """
        value = self._decoded(field)
        if value is None:
            raise self.fault(field, "is missing; add it")
        if not isinstance(value, dict):
            raise self.fault(field, f"is a {type(value).__name__}; write a mapping")
        marker = _marker(value)
        if marker:
            raise self.fault(
                field, f"has the marker '{marker}' of an intermediate file; use the released file"
            )
        return value

    def listing(self, field: str) -> list[Any]:
        """Return a list, as itself or as JSON text; an empty one where there is none.

        Raises:
            ItemFault: It is no list.
        """
        value = self._decoded(field)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.fault(field, f"is a {type(value).__name__}; write a list")
        return value

    def _decoded(self, field: str) -> Any:
        value = self._content.get(field)
        try:
            # A text that is encoded twice comes out shorter each time.
            while isinstance(value, str) and value.strip():
                value = json.loads(value)
        except ValueError as fault:
            raise self.fault(field, f"is no JSON text ({fault}); repair it") from None
        return None if value == "" else value


def _marker(value: Any) -> str:
    """Return the first marker in a value, or an empty text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            found = key if key in _MARKERS else _marker(inner)
            if found:
                return str(found)
    elif isinstance(value, list):
        for inner in value:
            if found := _marker(inner):
                return found
    return ""
