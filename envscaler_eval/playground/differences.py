"""What a call changed, as a person reads it: a place, and what stood and stands there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from envscaler_eval.state import State, changes

_MISSING = object()


@dataclass(frozen=True)
class Difference:
    """One thing that is no longer as it was.

    Attributes:
        kind: Whether a value was changed, or an entry created or deleted.
        path: Where it stands, as the keys from the root.
        before: What stood there; `None` where nothing did.
        after: What stands there now; `None` where nothing does.
    """

    kind: Literal["changed", "created", "deleted"]
    path: tuple[str, ...]
    before: Any = None
    after: Any = None


def differences(before: State, after: State) -> list[Difference]:
    """List what differs between two states, each thing at the deepest place that holds it.

    An entry that has gone from the middle of a list is told as that entry, and not as
    all that have moved up.
    """
    found: list[Difference] = []
    for change in changes(before, after):
        old, new = _at(before, change.path), _at(after, change.path)
        if change.kind == "created":
            found.append(Difference("created", change.path, after=new))
        elif change.kind == "deleted":
            found.append(Difference("deleted", change.path, before=old))
        elif isinstance(old, list) and isinstance(new, list):
            found.extend(_list_differences(change.path, old, new))
        else:
            found.append(Difference("changed", change.path, old, new))
    return found


def _list_differences(
    path: tuple[str, ...], before: Sequence[Any], after: Sequence[Any]
) -> list[Difference]:
    """Tell a list that has become shorter by what has left it and what has come."""
    kept = list(after)
    gone = []
    for place, item in enumerate(before):
        if item in kept:
            kept.remove(item)
        else:
            gone.append(Difference("deleted", (*path, str(place)), before=item))
    come = [
        Difference("created", (*path, str(place)), after=item)
        for place, item in enumerate(after)
        if item not in before
    ]
    # The same items in another order or number: the list itself is what changed.
    return gone + come or [Difference("changed", path, list(before), list(after))]


def _at(state: object, path: Sequence[str]) -> Any:
    for key in path:
        if isinstance(state, dict):
            state = state.get(key, _MISSING)
            if state is _MISSING:
                return None
        elif isinstance(state, list):
            if int(key) >= len(state):
                return None
            state = state[int(key)]
    return state
