"""The state hash of Tau-Bench, without walking the whole state each time.

Upstream (`tau_bench/envs/base.py`: `to_hashable`, `consistent_hash`) turns the
database into nested tuples, dicts sorted by key, and hashes the text of the
result. So equality of states is equality of `repr`: `250` differs from
`250.0`, and the order of lists counts, the order of dicts does not.

The text of a database is the concatenation of its records' texts. It is made
once for the shared records; a world's hash splices the texts of its changed
records into it.
"""

import bisect
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from envscaler_eval.benchmarks.tau_bench.tables import Record

_CHECKPOINT_BYTES = 1 << 16


def canonical(value: Any) -> str:
    """Return the text of a value that upstream's hash is taken of.

    Args:
        value: A JSON dict or list.

    Returns:
        The text; two values count as equal when their texts are equal.
    """
    return repr(_frozen(value))


def state_hash(state: Mapping[str, Any]) -> str:
    """Return upstream's hash of a whole database, from scratch.

    Args:
        state: Table name -> record id -> record.

    Returns:
        The sha256 in hexadecimal.
    """
    return hashlib.sha256(canonical(state).encode()).hexdigest()


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple([(key, _frozen(value[key])) for key in sorted(value)])
    if isinstance(value, list):
        return tuple([_frozen(item) for item in value])
    return value


class _Splice(NamedTuple):
    """A stretch of the base text to replace; `order` tells apart insertions at one place."""

    start: int
    end: int
    order: int
    text: str


class CanonicalBase:
    """The text of a database, and hashes of databases that differ a little.

    Args:
        tables: Table name -> record id -> record; read once, at construction.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, Record]]) -> None:
        self._tables = tables
        self._keys = {name: sorted(records) for name, records in tables.items()}
        self._spans: dict[str, list[tuple[int, int]]] = {}
        parts: list[bytes] = []
        position = 0

        def write(text: str) -> int:
            nonlocal position
            encoded = text.encode()
            parts.append(encoded)
            position += len(encoded)
            return position

        write("(")
        for number, name in enumerate(sorted(tables)):
            write(", " if number else "")
            write(f"({name!r}, (")
            spans = []
            for index, key in enumerate(self._keys[name]):
                start = write(", " if index else "")
                spans.append((start, write(_entry(key, tables[name][key]))))
            self._spans[name] = spans
            # A tuple of one has a comma after it.
            write(",))" if len(spans) == 1 else "))")
        write(",)" if len(tables) == 1 else ")")
        self._text = b"".join(parts)
        self._checkpoints = list(self._prefix_hashes())

    def _prefix_hashes(self) -> Iterator["hashlib._Hash"]:
        hasher = hashlib.sha256()
        for start in range(0, len(self._text), _CHECKPOINT_BYTES):
            yield hasher.copy()
            hasher.update(self._text[start : start + _CHECKPOINT_BYTES])

    def hash_with(self, changes: Mapping[str, Mapping[str, Record]]) -> str:
        """Return the hash of the database with some records put in.

        Args:
            changes: Table name -> record id -> record, replaced or added.

        Returns:
            The same as `state_hash` of the changed database.
        """
        if any(records and len(self._keys[name]) < 2 for name, records in changes.items()):
            # The commas around so few records depend on how many there are.
            return state_hash(
                {name: {**base, **changes.get(name, {})} for name, base in self._tables.items()}
            )
        splices = sorted(self._splices(changes))
        position = splices[0].start if splices else len(self._text)
        checkpoint = min(position // _CHECKPOINT_BYTES, len(self._checkpoints) - 1)
        hasher = self._checkpoints[checkpoint].copy()
        position = checkpoint * _CHECKPOINT_BYTES
        view = memoryview(self._text)
        for splice in splices:
            hasher.update(view[position : splice.start])
            hasher.update(splice.text.encode())
            position = splice.end
        hasher.update(view[position:])
        return hasher.hexdigest()

    def _splices(self, changes: Mapping[str, Mapping[str, Record]]) -> Iterator[_Splice]:
        for name, records in changes.items():
            keys, spans = self._keys[name], self._spans[name]
            for order, key in enumerate(sorted(records)):
                index = bisect.bisect_left(keys, key)
                text = _entry(key, records[key])
                if index == len(keys):
                    yield _Splice(spans[-1][1], spans[-1][1], order, ", " + text)
                elif keys[index] == key:
                    yield _Splice(*spans[index], order, text)
                else:
                    yield _Splice(spans[index][0], spans[index][0], order, text + ", ")


def _entry(key: str, record: Record) -> str:
    return repr((key, _frozen(record)))
