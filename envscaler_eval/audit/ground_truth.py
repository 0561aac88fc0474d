"""Ceiling and floor of tasks that come with a ground truth: benchmarks, imported data."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from envscaler_eval.audit.findings import Rate


@dataclass(frozen=True)
class GroundTruthTask:
    """A task that can be solved by its ground truth.

    Attributes:
        name: The task.
        group: What it is reported under, such as a domain or a category.
        solve: Returns the score of playing the ground truth.
        idle: Returns the score of doing nothing.
    """

    name: str
    group: str
    solve: Callable[[], float]
    idle: Callable[[], float]


@dataclass(frozen=True)
class Bounds:
    """What a group of tasks gives to perfect play and to none.

    Attributes:
        group: The group.
        solved: Tasks whose ground truth scores 1.
        floor: Tasks that doing nothing scores 1 on.
        unsolved: Names of those whose ground truth does not.
        free: Names of those that need no work.
    """

    group: str
    solved: Rate
    floor: Rate
    unsolved: tuple[str, ...]
    free: tuple[str, ...]


def audit_ground_truth(tasks: Iterable[GroundTruthTask]) -> list[Bounds]:
    """Play the ground truth and nothing on each task; one result for each group."""
    groups: dict[str, list[tuple[str, bool, bool]]] = {}
    for task in tasks:
        played = (task.name, task.solve() == 1, task.idle() == 1)
        groups.setdefault(task.group, []).append(played)
    return [
        Bounds(
            group=group,
            solved=Rate(count=sum(solved for _, solved, _ in rows), total=len(rows)),
            floor=Rate(count=sum(free for _, _, free in rows), total=len(rows)),
            unsolved=tuple(name for name, solved, _ in rows if not solved),
            free=tuple(name for name, _, free in rows if free),
        )
        for group, rows in groups.items()
    ]
