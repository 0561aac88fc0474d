"""A state as a tree to browse: branches with a telling label, leaves with their values.

What is too much for a page is left out of the tree, and said to be.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from envscaler_eval.playground.brevity import as_json, brief
from envscaler_eval.playground.differences import Difference

_PREVIEW_FIELDS = ("name", "title", "label", "status", "kind", "type", "date")
_PREVIEW_CHARACTERS = 60
_MOST_CHILDREN = 200
_DEEPEST = 40


@dataclass(frozen=True)
class Node:
    """A place in a state.

    Attributes:
        key: The last key of its path.
        leaf: Its value as JSON where it holds no others, else `None`.
        kind: What its value is, such as `string`, for colours.
        note: For a branch, how many entries it has or what it is about.
        changed: Whether it, or something in it, was just changed.
        children: What it holds.
    """

    key: str
    leaf: str | None
    kind: str
    note: str = ""
    changed: bool = False
    children: Sequence["Node"] = field(default_factory=tuple)


def tree(state: Any, changed: Iterable[Difference] = ()) -> Sequence[Node]:
    """Return the nodes of a state's top level.

    Args:
        state: A dict or list of plain data.
        changed: What was just changed; these places and all above them are marked.
    """
    marked: set[tuple[str, ...]] = set()
    whole: set[tuple[str, ...]] = set()
    for difference in islice(changed, _MOST_CHILDREN):
        path = difference.path
        if difference.kind == "created":
            whole.add(path)
        marked.update(path[:depth] for depth in range(1, len(path) + 1))
    return _node("", state, (), marked, whole, False).children


def _node(
    key: str,
    value: Any,
    path: tuple[str, ...],
    marked: Collection[tuple[str, ...]],
    whole: Collection[tuple[str, ...]],
    inside: bool,
) -> Node:
    """Return a place; `inside` of something new, all is new."""
    inside = inside or path in whole
    changed = inside or path in marked
    if not isinstance(value, dict | list) or not value:
        return Node(key, brief(as_json(value)), _kind(value), "", changed)
    if len(path) >= _DEEPEST:
        return Node(key, "…", _kind(value), "", changed)
    children = []
    left_out = 0
    for place, (inner, item) in enumerate(
        value.items() if isinstance(value, dict) else enumerate(value)
    ):
        at = (*path, str(inner))
        if place < _MOST_CHILDREN or at in marked:
            children.append(_node(str(inner), item, at, marked, whole, inside))
        else:
            left_out += 1
    if left_out:
        children.append(Node("…", f"{left_out:,} more, not shown", "null"))
    return Node(key, None, _kind(value), _note(value), changed, children)


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "list"
        case _:
            return "object"


def _note(value: dict[str, Any] | list[Any]) -> str:
    """Say what a branch is: the telling fields of a record, or how many entries there are."""
    if isinstance(value, dict):
        told = [
            str(value[name])
            for name in _PREVIEW_FIELDS
            if isinstance(value.get(name), str) and value[name]
        ]
        if told:
            text = ", ".join(told[:2])
            short = text[:_PREVIEW_CHARACTERS]
            return short if short == text else f"{short}…"
    return "1 entry" if len(value) == 1 else f"{len(value)} entries"
