"""States as plain data."""

import copy
import json
import math
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.allowance import Allowance
from envscaler_eval.state import (
    Change,
    UnserialisableStateError,
    canonical,
    canonical_data,
    changes,
    require_plain,
    snapshot,
    state_hash,
)

_KEYS = st.text(alphabet="ab/~0", min_size=1, max_size=3)
_LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | _KEYS
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)
_STATES = st.dictionaries(_KEYS, _VALUES, max_size=4)


class _Text(str):
    """Text with behaviour of its own."""


@dataclass
class _Record:
    number: int


@given(_STATES)
def test_a_snapshot_equals_its_state_and_shares_nothing_with_it(state: dict[str, Any]) -> None:
    before = json.dumps(state)
    copied = snapshot(state)
    assert json.dumps(copied) == before
    _scribble(copied)
    assert json.dumps(state) == before


def _scribble(value: Any) -> None:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in list(items):
        _scribble(item)
    if isinstance(value, dict):
        value["scribble"] = 1
    elif isinstance(value, list):
        value.append("scribble")


def test_a_snapshot_copies_what_marshal_does_not_know() -> None:
    state = {"day": date(2026, 3, 9), "inner": [{1, 2}]}
    assert snapshot(state) == state
    assert snapshot(state)["inner"] is not state["inner"]


@given(_STATES)
def test_the_hash_ignores_the_order_of_keys(state: dict[str, Any]) -> None:
    assert state_hash(dict(reversed(state.items()))) == state_hash(state)


@given(_STATES, _STATES)
def test_the_hash_differs_exactly_where_the_canonical_text_does(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert (state_hash(one) == state_hash(other)) == (canonical(one) == canonical(other))


def test_the_canonical_text_tells_numbers_of_different_types_apart() -> None:
    texts = {canonical({"x": value}) for value in (1, 1.0, True, "1")}
    assert len(texts) == 4


@given(_STATES)
def test_data_have_the_canonical_text_without_looking_for_objects(state: dict[str, Any]) -> None:
    assert canonical_data(state) == canonical(state)


@pytest.mark.parametrize("value", [date(2026, 3, 9), {1, 2}, _Text("x"), _Record(1), 10**40])
def test_what_may_hold_objects_is_not_taken_for_data(value: object) -> None:
    assert canonical_data({"x": [value]}) is None


def test_sets_have_one_canonical_text() -> None:
    assert canonical({"x": {"b", "a", "c"}}) == canonical({"x": {"c", "b", "a"}})
    assert json.loads(canonical({"x": {"b", "a"}})) == {"x": ["a", "b"]}


def test_integers_of_any_size_have_a_canonical_text() -> None:
    assert json.loads(canonical({"x": 10**40})) == {"x": 10**40}


@pytest.mark.parametrize("value", [object(), open, 1j, b"bytes"])
def test_what_has_no_plain_form_has_no_hash(value: object) -> None:
    with pytest.raises(UnserialisableStateError):
        state_hash({"x": value})


def test_a_cycle_has_no_hash() -> None:
    state: dict[str, Any] = {}
    state["self"] = state
    with pytest.raises(UnserialisableStateError):
        state_hash(state)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (math.nan, "the number nan at /x/0"),
        (-math.inf, "the number -inf at /x/0"),
        (date(2026, 3, 9), "a date at /x/0"),
        ({1, 2}, "a set at /x/0"),
        ((1, 2), "a tuple at /x/0"),
        ("\ud800", "half a surrogate pair at /x/0"),
        ({1: "one"}, "the key 1 at /x/0"),
    ],
)
def test_what_is_not_plain_is_refused_with_its_place(value: object, told: str) -> None:
    with pytest.raises(UnserialisableStateError, match=told):
        require_plain({"x": [value]})


def test_data_without_bottom_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(UnserialisableStateError, match="nested deeper"):
        require_plain(deep)


@given(_STATES)
def test_json_data_is_plain(state: dict[str, Any]) -> None:
    require_plain(state)


@given(_STATES)
def test_a_state_has_not_changed_against_itself(state: dict[str, Any]) -> None:
    assert changes(state, copy.deepcopy(state)) == []


@given(_STATES, _STATES)
def test_two_states_differ_exactly_when_something_changed(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert bool(changes(one, other)) == (one != other)


def test_changes_go_down_to_leaves_and_count_entries_as_records() -> None:
    before = {"a": {"x": 1, "y": 2}, "log": ["one"], "gone": {"z": 1}}
    after = {"a": {"x": 1, "y": 3}, "log": ["one", "two"], "new": {"z": 1}}
    assert {(change.pointer, change.kind) for change in changes(before, after)} == {
        ("/a/y", "changed"),
        ("/log/1", "created"),
        ("/gone", "deleted"),
        ("/new", "created"),
    }


def test_a_number_that_is_written_differently_has_not_changed() -> None:
    assert changes({"x": 2, "y": [2]}, {"x": 2.0, "y": [2.0]}) == []


def test_a_pointer_escapes_slashes_and_tildes() -> None:
    assert Change(("a/b", "~c"), "changed").pointer == "/a~1b/~0c"


def test_a_number_that_is_not_finite_cannot_come_in() -> None:
    with pytest.raises(UnserialisableStateError, match="nan at /x/y"):
        changes({"x": {}}, {"x": {"y": math.nan}})


def _outside(reference: list[Change], patterns: list[str], observed: list[Change]) -> list[str]:
    return [change.pointer for change in Allowance(reference, patterns).collateral(observed)]


def test_a_leaf_that_the_solution_changes_is_granted_and_its_neighbour_is_not() -> None:
    reference = [Change(("items", "1", "quantity"), "changed")]
    observed = [*reference, Change(("items", "2", "quantity"), "changed")]
    assert _outside(reference, [], observed) == ["/items/2/quantity"]


def test_records_are_granted_by_number_and_place_whatever_their_ids() -> None:
    reference = [Change(("orders", "O-1"), "created")]
    observed = [Change(("orders", "O-7"), "created"), Change(("orders", "O-8"), "created")]
    assert _outside(reference, [], observed) == ["/orders/O-8"]
    assert _outside(reference, [], [Change(("notes", "O-1"), "created")]) == ["/notes/O-1"]


def test_deleting_what_the_solution_only_creates_is_collateral() -> None:
    reference = [Change(("orders", "O-1"), "created")]
    assert _outside(reference, [], [Change(("orders", "O-0"), "deleted")]) == ["/orders/O-0"]


@pytest.mark.parametrize(
    ("pattern", "change", "granted"),
    [
        ("/items/I-1/quantity", Change(("items", "I-1", "quantity"), "changed"), True),
        ("/items/I-1/quantity", Change(("items", "I-2", "quantity"), "changed"), False),
        ("/items/*/note", Change(("items", "I-9", "note"), "changed"), True),
        ("/items/*/note", Change(("items", "I-9", "name"), "changed"), False),
        ("/items/*", Change(("items", "I-9", "name"), "changed"), True),
        ("/items/*/note", Change(("items", "I-9"), "deleted"), False),
        ("/orders/+", Change(("orders", "O-1"), "created"), True),
        ("/orders/+", Change(("orders", "O-1"), "deleted"), False),
        ("/orders/+", Change(("orders", "O-1", "lines"), "created"), False),
        ("/a~1b/~0c", Change(("a/b", "~c"), "changed"), True),
    ],
)
def test_patterns_grant_what_they_name(pattern: str, change: Change, granted: bool) -> None:
    assert (_outside([], [pattern], [change]) == []) is granted


def test_patterns_grant_without_limit_and_use_up_nothing() -> None:
    reference = [Change(("orders", "O-1"), "created")]
    observed = [Change(("orders", f"O-{n}"), "created") for n in range(5)]
    assert _outside(reference, ["/orders/+"], observed) == []


@given(_STATES, _STATES)
def test_doing_what_the_solution_does_is_never_collateral(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    made = changes(one, other)
    assert Allowance(made, ()).collateral(made) == []
