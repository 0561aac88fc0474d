"""Why episodes ended, and what went wrong in them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from envscaler_eval.results.report.runs import Runs
from envscaler_eval.results.table import EpisodeRow

# Which entry of a score's metadata counts what. Those of the first kind count by name.
_COUNTED: Mapping[str, str] = MappingProxyType(
    {
        "tool_errors": "tool errors",
        "model_faults": "model faults",
        "user_faults": "simulated user's faults",
    }
)
_SINGLE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "failed_calls": ("tool errors", "failed"),
        "malformed": ("tool errors", "malformed"),
        "differing_records": ("verdicts", "records differ"),
        "broken_checks": ("verdicts", "a check broke"),
    }
)


@dataclass(frozen=True)
class Fault:
    """A kind of fault in the episodes of a run.

    Attributes:
        family: What it is a fault of.
        kind: The kind.
        episodes: In how many episodes it was seen.
        times: How often it was seen.
        example: The first of them.
    """

    family: str
    kind: str
    episodes: int
    times: int
    example: EpisodeRow


@dataclass(frozen=True)
class Endings:
    """How the episodes of a run ended.

    Attributes:
        task: The task.
        run: The run.
        episodes: How many episodes there are, those that are missing included.
        endings: Why they ended -> the episodes, the commonest first.
        faults: What went wrong, families together, the commonest first.
    """

    task: str
    run: str
    episodes: int
    endings: Mapping[str, tuple[EpisodeRow, ...]]
    faults: tuple[Fault, ...]


def run_failures(runs: Runs) -> list[Endings]:
    """Return how episodes ended and what went wrong, for each run of each task."""
    return [
        _endings(task, name, table.rows)
        for task in runs.tasks
        for name, table in runs.of_task(task).items()
    ]


def _endings(task: str, run: str, rows: tuple[EpisodeRow, ...]) -> Endings:
    endings: dict[str, list[EpisodeRow]] = {}
    faults: dict[tuple[str, str], list[tuple[int, EpisodeRow]]] = {}
    for row in rows:
        endings.setdefault(_ending(row), []).append(row)
        for family, kind, times in _faults(row.facts):
            faults.setdefault((family, kind), []).append((times, row))
    found = [
        Fault(family, kind, len(seen), sum(times for times, _ in seen), seen[0][1])
        for (family, kind), seen in faults.items()
    ]
    families = list(dict.fromkeys([*_COUNTED.values(), *(fault.family for fault in found)]))
    return Endings(
        task=task,
        run=run,
        episodes=len(rows),
        endings={
            ending: tuple(its)
            for ending, its in sorted(endings.items(), key=lambda item: (-len(item[1]), item[0]))
        },
        faults=tuple(
            sorted(found, key=lambda one: (families.index(one.family), -one.episodes, one.kind))
        ),
    )


def _ending(row: EpisodeRow) -> str:
    """Return why an episode ended; of one without a result, why it is missing."""
    if row.ended_by is not None and row.missing is None:
        return row.ended_by
    return f"missing: {(row.missing or 'unscored').partition(':')[0]}"


def _faults(facts: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Read the faults of an episode: family, kind and how often."""
    told = {family for entry, family in _COUNTED.items() if isinstance(facts.get(entry), Mapping)}
    for entry, family in _COUNTED.items():
        if family in told:
            for kind, times in facts[entry].items():
                if isinstance(times, int) and times > 0:
                    yield family, str(kind), times
    for entry, (family, kind) in _SINGLE.items():
        times = facts.get(entry)
        # Beside counts by name the same word is another score's, such as a user's fault.
        if family in told:
            continue
        if isinstance(times, int) and times > 0:
            yield family, kind, times
    if facts.get("collateral"):
        yield "verdicts", "something else changed", len(facts["collateral"])
    if isinstance(facts.get("error_type"), str):
        yield "verdicts", facts["error_type"], 1
