"""Initial states and their copies."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.runtime.initial_state import InitialState

MANY = 60
"""So many copies that the way of copying has changed on the way."""

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
_STATES = st.dictionaries(
    st.text(),
    st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)),
    max_size=4,
)


def _exact(value: Any) -> Any:
    """Return a value with the types of all parts and the order of keys."""
    if isinstance(value, dict):
        return [(_exact(key), _exact(item)) for key, item in value.items()]
    if isinstance(value, list):
        return ["list", *map(_exact, value)]
    return type(value).__name__, repr(value)


def _containers(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    inner = [found for item in items for found in _containers(item)]
    return [value, *inner] if isinstance(value, dict | list) else inner


@given(_STATES)
def test_every_copy_is_the_same_data_and_shares_no_container(state: dict[str, Any]) -> None:
    start = InitialState(state)
    copies = [start.copy() for _ in range(MANY)]
    assert all(_exact(copy) == _exact(state) for copy in copies)
    containers = [id(found) for made in (state, *copies) for found in _containers(made)]
    assert len(set(containers)) == len(containers)
    assert _exact(start.state) == _exact(state)


DEEP: Any = []
for _ in range(98):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value",
    [-0.0, 10**400, 10**5000, "\x00\u2028'\"\\", [1, 1.0, True], {"1": 1}, DEEP, {1: 2}, {1, 2}],
    ids=lambda value: str(type(value)) + str(len(repr(value)) if value != 10**5000 else "huge"),
)
def test_unusual_values_are_copied_as_they_are(value: Any) -> None:
    start = InitialState({"value": value})
    copies = [start.copy()["value"] for _ in range(MANY)]
    for copy in copies:
        assert copy == value
        assert value == 10**5000 or _exact(copy) == _exact(value)


def test_later_copies_share_nothing_that_can_be_written_to() -> None:
    start = InitialState({"rows": {"a": {"tags": ["x", "y", "z"]}}})
    for _ in range(MANY):
        copy = start.copy()
        assert copy == {"rows": {"a": {"tags": ["x", "y", "z"]}}}
        copy["rows"]["a"]["tags"].append("scribble")
        copy["rows"]["b"] = {}
