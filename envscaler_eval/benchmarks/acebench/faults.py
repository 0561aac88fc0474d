"""Known faults of tasks, to be told with their scores.

None is excluded or mended: scores stay comparable with published ones.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from envscaler_eval.benchmarks.acebench.dataset import Kind, Language, Task

# What each tag means.
FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "wrong_end_state": "an agent that follows the instruction to the letter fails",
        "unchecked_class": "a misspelt class name leaves part of the end state unchecked",
        "passes_without_work": "one harmless call, or none in the paper's protocol, passes",
        "wifi_must_stay_off": "turning on the Wi-Fi, which does no harm, fails",
        "order_matters": "making the bookings in another order fails",
        "cannot_recover": "one wrong booking cannot be undone",
        "contradictory": "the instruction contradicts itself",
        "unordered_instruction": "the instruction tells the deletion before what needs it",
        "misspelt_config": "the settings are for a class that does not exist",
        "milestones_miss_state": "the milestones do not reach the expected end state",
        "milestones_not_python": "a milestone is no valid call, so no valid call matches it",
    }
)

_BOTH: tuple[Language, ...] = ("en", "zh")
_EN: tuple[Language, ...] = ("en",)
_ZH: tuple[Language, ...] = ("zh",)

# Tag, languages, kind and numbers of the tasks that have it.
_TAGGED: tuple[tuple[str, tuple[Language, ...], Kind, tuple[int, ...]], ...] = (
    ("wrong_end_state", _BOTH, "multi_turn", (28,)),
    ("wrong_end_state", _EN, "multi_turn", (12, 13, 14, 15)),
    ("unchecked_class", _BOTH, "multi_step", (0, 1)),
    ("unchecked_class", _BOTH, "multi_turn", (7, 9)),
    ("passes_without_work", _BOTH, "multi_turn", (7,)),
    ("wifi_must_stay_off", _BOTH, "multi_turn", (4, 7)),
    ("order_matters", _BOTH, "multi_turn", (22, 26, 27)),
    ("cannot_recover", _BOTH, "multi_turn", (27,)),
    ("contradictory", _ZH, "multi_turn", (21,)),
    ("unordered_instruction", _BOTH, "multi_step", (6, 7, 8, 9)),
    ("misspelt_config", _ZH, "multi_turn", (12,)),
    ("milestones_miss_state", _EN, "multi_step", (0, 1)),
    ("milestones_miss_state", _BOTH, "multi_step", (12, 13, 14, 15, 16, 17)),
    ("milestones_miss_state", _BOTH, "multi_turn", (6,)),
    ("milestones_not_python", _EN, "multi_step", (0, 1, 4, 5)),
    ("milestones_not_python", _EN, "multi_turn", (8, 9, 10, 11, 12, 13, 14, 15)),
)


def faults(task: Task) -> tuple[str, ...]:
    """Return the tags of a task's known faults.

    Args:
        task: The task.

    Returns:
        Keys of `FAULTS`, none for most tasks.
    """
    return tuple(_tags(task))


def _tags(task: Task) -> Iterator[str]:
    for tag, languages, kind, numbers in _TAGGED:
        if task.language in languages and task.id in {f"agent_{kind}_{n}" for n in numbers}:
            yield tag
