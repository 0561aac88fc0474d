"""What a call changed, told for people."""

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.playground.differences import Difference, differences
from envscaler_eval.playground.tree import tree

STATE: dict[str, Any] = {
    "rooms": {"203": {"status": "clean", "tags": ["sea", "quiet", "big"]}},
    "queue": [{"id": 1}, {"id": 2}, {"id": 3}],
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
states = st.dictionaries(st.text(max_size=3), json_values, max_size=4)


def test_a_changed_value_is_told_with_what_stood_there() -> None:
    after = deepcopy(STATE)
    after["rooms"]["203"]["status"] = "dirty"
    assert differences(STATE, after) == [
        Difference("changed", ("rooms", "203", "status"), "clean", "dirty")
    ]


def test_entries_that_came_and_went_are_told_whole() -> None:
    after = deepcopy(STATE)
    after["rooms"]["204"] = {"status": "clean"}
    del after["rooms"]["203"]
    assert differences(STATE, after) == [
        Difference("deleted", ("rooms", "203"), before=STATE["rooms"]["203"]),
        Difference("created", ("rooms", "204"), after={"status": "clean"}),
    ]


def test_one_that_leaves_the_middle_of_a_list_is_the_only_one_told() -> None:
    after = deepcopy(STATE)
    del after["queue"][0]
    assert differences(STATE, after) == [Difference("deleted", ("queue", "0"), before={"id": 1})]


@given(states, states)
def test_something_is_told_exactly_when_the_states_differ(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert bool(differences(before, after)) == (before != after)


def test_the_tree_marks_the_way_to_what_changed_and_all_of_what_is_new() -> None:
    after = deepcopy(STATE)
    after["rooms"]["204"] = {"status": "new", "tags": []}
    after["queue"][2]["id"] = 4
    rooms, queue = tree(after, differences(STATE, after))
    assert (rooms.changed, queue.changed) == (True, True)
    old, new = rooms.children
    assert not old.changed
    assert all(child.changed for child in (new, *new.children))
    assert [child.changed for child in queue.children] == [False, False, True]


def test_branches_tell_what_they_are_about() -> None:
    (rooms, _) = tree({"rooms": {"203": {"name": "Sea view", "status": "clean"}}, "none": {}})
    assert rooms.note == "1 entry"
    assert rooms.children[0].note == "Sea view, clean"
    assert [leaf.leaf for leaf in rooms.children[0].children] == ['"Sea view"', '"clean"']
