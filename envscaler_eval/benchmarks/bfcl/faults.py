"""Known faults of entries, to be told with their scores.

None is mended: an entry is scored as officially, so that scores stay comparable
with published ones. Numbers such as #1177 are issues of upstream's repository,
https://github.com/ShishirPatil/gorilla.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from envscaler_eval.benchmarks.bfcl.data import Snapshot
from envscaler_eval.benchmarks.bfcl.dataset import Entry

# What each tag means.
FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "extra_answer": "there is an answer more than there are turns, so nothing passes (#1177)",
        "needs_hidden_tool": "a tool is needed two turns before it is revealed",
        "needless_reveal": "the revealed tool is not needed, so honest work comes a turn too early",
        "past_dates": "bookings for past dates are wanted, which models refuse (#1223)",
        "unknown_booking": "the booking to be used is not named by the user (#1267)",
        "unavailable_text": "a text is wanted that no tool yields (#1367)",
        "exclusion_ignored": "tools that the data excludes are offered all the same (#1239)",
        "last_turn_unchecked": "nothing is expected in the last turn, so it is not checked",
    }
)

UNFAIR = frozenset(
    {
        "extra_answer",
        "needs_hidden_tool",
        "needless_reveal",
        "past_dates",
        "unknown_booking",
        "unavailable_text",
    }
)
"""The faults by which honest work fails."""

_PAST_DATES = frozenset({160, 171, 173, 174, 193})


def faults(snapshot: Snapshot, entry: Entry) -> tuple[str, ...]:
    """Return the tags of an entry's known faults.

    Args:
        snapshot: The snapshot that the entry is from.
        entry: The entry.

    Returns:
        Keys of `FAULTS`, none for most entries.
    """
    return tuple(_tags(snapshot, entry))


def _tags(snapshot: Snapshot, entry: Entry) -> Iterator[str]:
    number = int(entry.id.rpartition("_")[2])
    if len(entry.ground_truth) > len(entry.turns):
        yield "extra_answer"
    if entry.category == "miss_func" and number == 49:
        yield "needs_hidden_tool"
    if entry.category == "miss_func" and number in (33, 133):
        yield "needless_reveal"
    if snapshot == "v3" and number in _PAST_DATES:
        yield "past_dates"
    if snapshot == "v4" and entry.category == "base" and number == 198:
        yield "unknown_booking"
    if snapshot == "v4" and entry.category == "base" and number == 4:
        yield "unavailable_text"
    if entry.excluded:
        yield "exclusion_ignored"
    if not entry.ground_truth[-1]:
        yield "last_turn_unchecked"
