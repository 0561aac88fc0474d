"""Known faults of tasks, to be told with their scores.

None is excluded or mended: scores stay comparable with published ones.
"""

from collections.abc import Mapping
from types import MappingProxyType

# What each tag means, and who reported it upstream.
FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "passes_without_work": "doing nothing passes",
        "own_write_refused": "one of the task's own writing calls is refused",
        "against_policy": "the task's own calls break the policy (issues 37 and 85)",
        "wrong_passengers": "the passengers are not those of the reservation (issue 65)",
        "ambiguous": "the wanted outcome does not follow from the instruction (issues 29 and 70)",
    }
)

_TAGGED: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("passes_without_work", "retail/test", (10, 12, 25, 50, 57, 65, 106)),
    (
        "passes_without_work",
        "airline/test",
        (12, 13, 15, 17, 18, 21, 24, 29, 35, 36, 37, 38, 39, 40, 41, 42, 47, 48, 49),
    ),
    ("own_write_refused", "retail/test", (12, 13, 64, 106)),
    ("against_policy", "airline/test", (26, 27, 33)),
    ("wrong_passengers", "airline/test", (9,)),
    ("ambiguous", "airline/test", (1, 26)),
)


def faults(domain: str, split: str, index: int) -> tuple[str, ...]:
    """Return the tags of a task's known faults.

    Args:
        domain: `retail` or `airline`.
        split: The split.
        index: The task's place in it, from 0.

    Returns:
        Keys of `FAULTS`, none for most tasks.
    """
    return tuple(
        tag for tag, where, indices in _TAGGED if where == f"{domain}/{split}" and index in indices
    )
