"""The hash of a database."""

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_eval.benchmarks.tau_bench.canonical import CanonicalBase, canonical, state_hash

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.text(max_size=4), VALUES, max_size=3)
TABLES = st.dictionaries(st.text(max_size=4), RECORDS, max_size=5)


def test_the_text_is_that_of_nested_tuples_sorted_by_key() -> None:
    value = {"b": [1, 2.0, None], "a": {"x": "é'"}, "c": []}
    assert canonical(value) == """(('a', (('x', "é'"),)), ('b', (1, 2.0, None)), ('c', ()))"""


def test_the_hash_is_sha256_of_the_text() -> None:
    state = {"users": {"u": {"n": "é"}}, "orders": {}}
    text = "(('orders', ()), ('users', (('u', (('n', 'é'),)),)))"
    assert state_hash(state) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("one", "other"), [(250, 250.0), (True, 1), (0.0, -0.0), ("1", 1), ([1, 2], [2, 1])]
)
def test_equal_numbers_of_other_types_and_other_orders_differ(one: Any, other: Any) -> None:
    assert canonical({"x": one}) != canonical({"x": other})


def test_the_order_of_keys_does_not_count() -> None:
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})


@settings(max_examples=50, deadline=None)
@given(base=st.fixed_dictionaries({"s": TABLES, "t": TABLES}), changes=TABLES, more=TABLES)
def test_splicing_changes_in_hashes_as_from_scratch(base: Any, changes: Any, more: Any) -> None:
    # Some records of the base change, and some are new.
    changes |= {key: {"changed": 1} for key in list(base["s"])[::2]}
    spliced = CanonicalBase(base).hash_with({"s": changes, "t": more})
    assert spliced == state_hash({"s": base["s"] | changes, "t": base["t"] | more})


def test_splicing_works_across_long_texts() -> None:
    base = {"t": {f"{number:04}": {"text": "x" * 500} for number in range(1000)}}
    known = CanonicalBase(base)
    for changed in ("0000", "0499", "0999", "0000a", "zzz", "0500b"):
        changes = {changed: {"text": "y"}}
        assert known.hash_with({"t": changes}) == state_hash({"t": base["t"] | changes})
    assert known.hash_with({}) == known.hash_with({"t": {}}) == state_hash(base)
