"""States as plain data: copying, hashing, and what changed between two of them."""

import copy
import hashlib
import json
import marshal
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import orjson

_CANONICAL = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS

_NO_OBJECTS = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)

_DEEPEST = 100

_ATOMS = frozenset({type(None), bool, int})

State = dict[str, Any]


class UnserialisableStateError(ValueError):
    """A state holds something that has no plain form."""


def snapshot(state: State) -> State:
    """Return a deep copy that shares nothing mutable with `state`.

    Marshal copies plain data about ten times faster than `copy.deepcopy`, which
    serves for everything else.
    """
    try:
        copied: State = marshal.loads(marshal.dumps(state))
    except ValueError:
        copied = copy.deepcopy(state)
    return copied


def canonical(state: State) -> bytes:
    """Return the one JSON text of a state: UTF-8, sorted keys, sets as sorted lists.

    Raises:
        UnserialisableStateError: It holds a cycle, keys that do not sort, or an
            object without a plain form.
    """
    try:
        return orjson.dumps(state, option=_CANONICAL, default=plain)
    except TypeError:
        pass
    # Integers beyond 64 bits and deep nesting are more than orjson takes.
    try:
        text = json.dumps(
            state, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=plain
        )
    except (TypeError, ValueError, RecursionError) as fault:
        raise UnserialisableStateError(str(fault)) from None
    return text.encode(errors="surrogatepass")


def canonical_data(state: State) -> bytes | None:
    """Return the canonical text of a state that holds data and no objects, else `None`.

    Data are what JSON knows, tuples, UUIDs and members of enumerations.
    """
    try:
        return orjson.dumps(state, option=_CANONICAL | _NO_OBJECTS)
    except TypeError:
        return None


def state_hash(state: State) -> str:
    """Return the SHA-256 of the canonical JSON, in hex."""
    return text_hash(canonical(state))


def text_hash(text: bytes) -> str:
    """Return the SHA-256 of a canonical text, in hex."""
    return hashlib.sha256(text).hexdigest()


def plain(value: object) -> object:
    """Give `json` a plain form of the types that environment programs also use."""
    match value:
        case set() | frozenset():
            return sorted(value, key=lambda item: (type(item).__name__, str(item)))
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal() | UUID():
            return str(value)
        case Enum():
            return value.value
        case _ if type(value).__module__ != "builtins" and hasattr(value, "__dict__"):
            return vars(value)
        case _:
            raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


def require_plain(value: object, path: tuple[str, ...] = ()) -> None:
    """Refuse what is no JSON data: other types, numbers that are not finite, and
    text that no encoding takes.

    Args:
        value: The data.
        path: Where it stands, for the message.

    Raises:
        UnserialisableStateError: It is not plain; says where.
    """
    match value:
        case None | bool() | int():
            return
        case str():
            if value.isascii() or _encodes(value):
                return
            fault = "text with half a surrogate pair"
        case float():
            if math.isfinite(value):
                return
            fault = f"the number {value}"
        case dict() | list() if len(path) >= _DEEPEST:
            raise UnserialisableStateError(f"something is nested deeper than {_DEEPEST} levels")
        case dict():
            for key, item in value.items():
                if type(key) is str and key.isascii() and _plain_at_sight(item):
                    continue
                if not isinstance(key, str):
                    raise UnserialisableStateError(
                        f"the key {key!r} at {_pointer(path) or '/'} is no text"
                    )
                require_plain(key, path)
                require_plain(item, (*path, key))
            return
        case list():
            for index, item in enumerate(value):
                if not _plain_at_sight(item):
                    require_plain(item, (*path, str(index)))
            return
        case _:
            fault = f"a {type(value).__name__}"
    raise UnserialisableStateError(f"{fault} at {_pointer(path)} has no JSON form")


def _plain_at_sight(value: object) -> bool:
    """Whether a value is one of the usual leaves, for which no path need be kept."""
    return type(value) in _ATOMS or (type(value) is str and value.isascii())


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _pointer(path: tuple[str, ...]) -> str:
    """Return a path as a JSON pointer (RFC 6901)."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path)


@dataclass(frozen=True)
class Change:
    """One difference between two states.

    Attributes:
        path: Where, as the keys from the root.
        kind: `changed` (a leaf value), `created` or `deleted` (an entry).
    """

    path: tuple[str, ...]
    kind: Literal["changed", "created", "deleted"]

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        return _pointer(self.path)


def changes(before: State, after: State) -> list[Change]:
    """List what changed, down to leaves; entries of dicts and lists count as records.

    Values are compared as Python compares them, so that 2 and 2.0 are the same.

    Raises:
        UnserialisableStateError: A number that is not finite has come in.
    """
    return list(_changes(before, after, ()))


def _changes(before: object, after: object, path: tuple[str, ...]) -> Iterator[Change]:
    """Walk two values that are not equal."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, old in before.items():
            if key not in after:
                yield Change((*path, str(key)), "deleted")
            elif old != after[key]:
                yield from _changes(old, after[key], (*path, str(key)))
        for key in after:
            if key not in before:
                yield _created(after[key], (*path, str(key)))
    elif isinstance(before, list) and isinstance(after, list) and len(after) >= len(before):
        for index, old in enumerate(before):
            if old != after[index]:
                yield from _changes(old, after[index], (*path, str(index)))
        for index in range(len(before), len(after)):
            yield _created(after[index], (*path, str(index)))
    else:
        _require_finite(after, path)
        yield Change(path, "changed")


def _created(value: object, path: tuple[str, ...]) -> Change:
    _require_finite(value, path)
    return Change(path, "created")


def _require_finite(value: object, path: tuple[str, ...]) -> None:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UnserialisableStateError(f"{value} at {_pointer(path)} has no JSON form")
    elif isinstance(value, dict):
        for key, item in value.items():
            _require_finite(item, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _require_finite(item, (*path, str(index)))
