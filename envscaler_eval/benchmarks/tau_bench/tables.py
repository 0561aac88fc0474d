"""Database tables whose records are copied when they are first written."""

from collections.abc import Iterator, Mapping
from typing import Any

Record = dict[str, Any]

# Deeper than any argument that a schema describes, and shallow enough for every
# recursive walk over a state (JSON, hashing) to end within Python's own limit.
MAX_DEPTH = 100


class Table:
    """One world's view of a table: shared records and its own changes.

    The shared records are never written. `own` gives a private copy to write
    to; all reads see it from then on.

    Args:
        base: Record id -> record, in file order, which is the search order.
    """

    __slots__ = ("_base", "_changed")

    def __init__(self, base: Mapping[str, Record]) -> None:
        self._base = base
        self._changed: dict[str, Record] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._changed or key in self._base

    def __getitem__(self, key: str) -> Record:
        """Return a record for reading."""
        if key in self._changed:
            return self._changed[key]
        return self._base[key]

    def own(self, key: str) -> Record:
        """Return a record for writing.

        Raises:
            KeyError: There is no such record.
        """
        if key not in self._changed:
            self._changed[key] = copied(self._base[key])
        return self._changed[key]

    def put(self, key: str, record: Record) -> None:
        """Add a record after all others, or replace one in its place."""
        self._changed[key] = record

    def items(self) -> Iterator[tuple[str, Record]]:
        """Yield ids and records in search order, for reading."""
        for key, record in self._base.items():
            yield key, self._changed.get(key, record)
        for key, record in self._changed.items():
            if key not in self._base:
                yield key, record

    def changed(self) -> Mapping[str, Record]:
        """Return the records that this world owns, for reading."""
        return self._changed


def copied(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Copy a JSON value.

    Args:
        value: Anything that JSON can hold; other leaves are kept as they are.
        depth: How many levels of nesting are accepted.

    Returns:
        An equal value that shares no dict or list with the given one.

    Raises:
        RecursionError: The value is nested deeper than that.
    """
    if isinstance(value, dict | list) and depth == 0:
        raise RecursionError("maximum recursion depth exceeded")
    if isinstance(value, dict):
        return {key: copied(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item, depth - 1) for item in value]
    return value
