"""States keep their types and their hash on the way between processes."""

import contextlib
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.runtime.confined.encoding import (
    DecodeError,
    EncodeError,
    TooLongError,
    decode,
    encode,
)
from envscaler_eval.state import UnserialisableStateError, canonical

KEYS = st.one_of(
    st.text(max_size=5), st.integers(), st.booleans(), st.none(), st.dates(), st.uuids(),
    st.just("$type"),
)  # fmt: skip
SCALARS = st.one_of(
    KEYS, st.floats(allow_nan=False), st.decimals(allow_nan=False), st.datetimes(),
    st.datetimes(timezones=st.just(UTC)), st.times(), st.timedeltas(),
    st.characters(codec=None), st.frozensets(st.integers()), st.sets(st.text(max_size=3)),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
    ),
    max_leaves=20,
)


def same(one: object, other: object) -> bool:
    """Whether values are equal down to their types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(
            same(key, twin) and same(one[key], other[twin])
            for key, twin in zip(one, other, strict=True)
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@given(VALUES)
def test_a_value_comes_back_as_it_went(value: object) -> None:
    assert same(decode(encode(value)), value)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_a_state_keeps_its_hash(state: dict[str, Any]) -> None:
    try:
        expected = canonical(state)
    except UnserialisableStateError:
        with pytest.raises(UnserialisableStateError):
            canonical(decode(encode(state)))
    else:
        assert canonical(decode(encode(state))) == expected


@dataclass
class Item:
    """A record of a program's own type."""

    name: str
    size: int


class Plain:
    """An object of a program's own type."""

    def __init__(self) -> None:
        self.x = {1, 2}


class Colour(Enum):
    """Named constants."""

    RED = "red"


Point = namedtuple("Point", "x y")

OWN_TYPES = {
    "a dataclass": Item("a", 1),
    "an object": Plain(),
    "an enumeration": Colour.RED,
    "a named tuple": Point(1, 2),
    "a defaultdict": defaultdict(list, {"a": [1]}),
    "an ordered dict": OrderedDict(a=1),
    "a text of its own": type("Text", (str,), {})("a"),
    "a number of its own": type("Number", (int,), {})(7),
}


@pytest.mark.parametrize("value", OWN_TYPES.values(), ids=OWN_TYPES)
def test_types_of_a_program_become_data_with_the_same_hash(value: object) -> None:
    decoded = decode(encode({"it": value}))
    assert canonical(decoded) == canonical({"it": value})
    assert type(decoded["it"]).__module__ == "builtins"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.0])
def test_numbers_that_json_lacks_come_back(value: float) -> None:
    assert repr(decode(encode([value]))) == repr([value])


def test_values_of_all_kinds_come_back() -> None:
    value = {
        "set": {1, 2}, "tuple": (1, [2]), 3: "number", None: "none", "big": 2**200,
        "date": date(2026, 3, 9), "time": time(8, 30), "delta": timedelta(days=1, microseconds=3),
        "moment": datetime(2026, 3, 9, tzinfo=UTC), "decimal": Decimal("1.10"),
        "uuid": UUID(int=1), "nested": {"$type": "set", "v": [1]}, "half": "\ud800",
    }  # fmt: skip
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize("value", [b"x", object(), print, iter(()), [{"a": b"x"}]])
def test_what_has_no_plain_form_is_refused(value: object) -> None:
    with pytest.raises(EncodeError):
        encode(value)


def test_cycles_are_refused() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(EncodeError, match="a cycle or is nested too deeply"):
        encode(cycle)


def test_an_encoding_that_is_too_long_is_refused() -> None:
    with pytest.raises(TooLongError):
        encode("x" * 100, longest=50)
    with pytest.raises(TooLongError):
        encode({"x" * 100}, longest=50)


HOSTILE = [
    b"", b"{", b"\xff", b"[" * 100_000, b'{"$type":"exec","v":"1"}', b'{"$type":"set"}',
    b'{"$type":["set"],"v":[]}', b'{"$type":"set","v":[[]]}', b'{"$type":"set","v":7}',
    b'{"$type":"dict","v":[[[],1]]}', b'{"$type":"dict","v":[[1]]}',
    b'{"$type":"int","v":"zz"}', b'{"$type":"int","v":7}', b'{"$type":"float","v":"x"}',
    b'{"$type":"datetime","v":"yesterday"}', b'{"$type":"timedelta","v":[1e308]}',
    b'{"$type":"decimal","v":"1,0"}', b'{"$type":"uuid","v":"x"}',
    b'{"$type":"set","v":' * 2000 + b"[]" + b"}" * 2000,
]  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_bytes_that_encode_nothing_are_one_kind_of_error(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode(data)


@given(st.binary(max_size=60))
def test_no_bytes_do_anything_but_decode_or_fail(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        decode(data)
