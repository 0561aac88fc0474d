"""States as bytes that keep their types, from and to processes that are not trusted.

JSON, with an object `{"$type": name, "v": value}` for what JSON lacks: sets,
tuples, keys that are no strings, dates, numbers beyond 64 bits. A state of pure
JSON is its own encoding. Decoding makes built-in types only, so that a decoded
state has the hash of the original and no behaviour of its own.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import orjson

from envscaler_eval.state import plain

_TYPE = "$type"
_MARK = _TYPE.encode()
_PURE = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_INT_64 = range(-(2**63), 2**64)


class EncodeError(ValueError):
    """A value has no encoding."""


class TooLongError(EncodeError):
    """An encoding is longer than asked for."""


class DecodeError(ValueError):
    """Bytes are no encoding."""


def encode(value: object, longest: int | None = None) -> bytes:
    """Return the encoding of a value.

    Args:
        value: The value.
        longest: The longest encoding that is of use, in bytes; any by default.

    Raises:
        TooLongError: The encoding is longer.
        EncodeError: It holds a cycle, or something that has no plain form.
    """
    data = _pure(value, longest)
    if data is None:
        data = _with_types(value)
    if longest is not None and len(data) > longest:
        raise TooLongError(f"it takes more than {longest} bytes")
    return data


def _pure(value: object, longest: int | None) -> bytes | None:
    """Return the JSON of a value that is pure JSON, the short and usual way."""
    try:
        data = orjson.dumps(value, option=_PURE)
        if longest is not None and len(data) > longest:
            return data
        # Tuples and NaN turn silently into lists and null, which this shows.
        return data if _MARK not in data and orjson.loads(data) == value else None
    except (TypeError, ValueError, RecursionError):
        return None


def _with_types(value: object) -> bytes:
    try:
        return json.dumps(_tagged(value), separators=(",", ":"), allow_nan=False).encode()
    except TypeError as fault:
        raise EncodeError(str(fault)) from None
    except RecursionError:
        raise EncodeError("it holds a cycle or is nested too deeply") from None


def _tagged(value: Any) -> Any:
    match value:
        case None | bool():
            return value
        case Enum():
            return _tagged(value.value)
        case str():
            return str.__str__(value)
        case int():
            number = int(value)
            return number if number in _INT_64 else _tag("int", hex(number))
        case float():
            real = float(value)
            return real if math.isfinite(real) else _tag("float", repr(real))
        case dict():
            return _tagged_dict(value)
        case list():
            return [_tagged(item) for item in value]
        case tuple():
            return _tag("tuple", [_tagged(item) for item in value])
        case frozenset():
            return _tag("frozenset", [_tagged(item) for item in value])
        case set():
            return _tag("set", [_tagged(item) for item in value])
        case datetime():
            return _tag("datetime", value.isoformat())
        case date():
            return _tag("date", value.isoformat())
        case time():
            return _tag("time", value.isoformat())
        case timedelta():
            return _tag("timedelta", [value.days, value.seconds, value.microseconds])
        case Decimal():
            return _tag("decimal", str(value))
        case UUID():
            return _tag("uuid", str(value))
        case _ if is_dataclass(value) and not isinstance(value, type):
            # The fields that orjson shows, and with them the hash.
            names = (field.name for field in fields(value) if not field.name.startswith("_"))
            return _tagged_dict({name: getattr(value, name) for name in names})
        case _:
            return _tagged(plain(value))


def _tagged_dict(value: Mapping[Any, Any]) -> Any:
    if all(type(key) is str for key in value) and _TYPE not in value:
        return {key: _tagged(item) for key, item in value.items()}
    return _tag("dict", [[_tagged(key), _tagged(item)] for key, item in value.items()])


def _tag(name: str, value: Any) -> dict[str, Any]:
    return {_TYPE: name, "v": value}


def decode(data: bytes) -> Any:
    """Return the value that bytes encode, in built-in types only.

    Raises:
        DecodeError: They encode none.
    """
    try:
        value = _parsed(data)
        return _untagged(value) if _MARK in data else value
    except (TypeError, ValueError, KeyError, ArithmeticError, RecursionError) as fault:
        raise DecodeError(f"{type(fault).__name__}: {fault}"[:200]) from None


def _parsed(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        # Lone surrogates and deep nesting are more than orjson takes.
        return json.loads(data)


def _untagged(value: Any) -> Any:
    if isinstance(value, list):
        return [_untagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _TYPE not in value:
        return {key: _untagged(item) for key, item in value.items()}
    return _BUILDERS[value[_TYPE]](_untagged(value["v"]))


_BUILDERS: Mapping[str, Callable[[Any], Any]] = {
    "int": lambda digits: int(digits, 16),
    "float": float,
    "dict": lambda items: {key: item for key, item in items},
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda parts: timedelta(*parts),
    "decimal": Decimal,
    "uuid": UUID,
}
