"""Which checks fail most, by name where the pack is at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack, locate, read_pack
from envscaler_eval.results.report.runs import Runs
from envscaler_eval.results.table import EpisodeRow

_TASK = "envscaler"

_Key = tuple[str, str, int]


@dataclass(frozen=True)
class FailedCheck:
    """A check of a scenario.

    Attributes:
        environment: The environment.
        scenario: The scenario.
        place: Which of its checks, from 0.
        about: What it asks, if the log or the pack tells.
        failed: Run -> the share of the scenario's graded episodes in which it failed.
        example: The first of them.
    """

    environment: str
    scenario: str
    place: int
    about: str | None
    failed: Mapping[str, float]
    example: EpisodeRow


def failed_checks(runs: Runs, most: int) -> tuple[list[FailedCheck], int]:
    """Return the checks that fail most, over all runs, and how many fail at all.

    Args:
        runs: The runs.
        most: How many to return.
    """
    episodes: dict[tuple[str, str, str], int] = {}
    failures: dict[_Key, dict[str, int]] = {}
    examples: dict[_Key, EpisodeRow] = {}
    for run, table in runs.of_task(_TASK).items():
        for row in table.rows:
            places = row.facts.get("failed_checks")
            if row.missing is not None or places is None:
                continue
            environment, scenario = str(row.metadata["env"]), str(row.metadata["scenario"])
            key = (run, environment, scenario)
            episodes[key] = episodes.get(key, 0) + 1
            for place in places:
                counts = failures.setdefault((environment, scenario, place), {})
                counts[run] = counts.get(run, 0) + 1
                examples.setdefault((environment, scenario, place), row)
    shares = {
        (environment, scenario, place): {
            run: counts.get(run, 0) / episodes[run, environment, scenario]
            for run in runs.tables
            if (run, environment, scenario) in episodes
        }
        for (environment, scenario, place), counts in failures.items()
    }
    means = {key: sum(its.values()) / len(its) for key, its in shares.items()}
    order = _fairly(sorted(means, key=lambda key: (-means[key], key)), means)
    found = [
        FailedCheck(*key, _about(examples[key], key[2]), shares[key], examples[key])
        for key in order[:most]
    ]
    return found, len(order)


def _fairly(order: Sequence[_Key], means: Mapping[_Key, float]) -> list[_Key]:
    """Let environments take turns among checks that fail equally often."""
    turns: dict[tuple[float, str], int] = {}
    turn_of: dict[_Key, int] = {}
    for key in order:
        place = (means[key], key[0])
        turn_of[key] = turns[place] = turns.get(place, 0) + 1
    return sorted(order, key=lambda key: (-means[key], turn_of[key], key))


def _about(row: EpisodeRow, place: int) -> str | None:
    """Return what a check asks: by the log, else by the pack if it is still the same."""
    told = row.facts.get("checks")
    if told is not None:
        return str(told[place]["about"])
    pack = _pack(str(row.metadata["pack"]), str(row.metadata["pack_hash"]))
    if pack is None:
        return None
    return pack.scenario(str(row.metadata["scenario"])).checks[place].about


@cache
def _pack(locator: str, digest: str) -> Pack | None:
    try:
        pack = read_pack(locate(locator))
    except UsageError:
        return None
    return pack if pack.hash == digest else None
