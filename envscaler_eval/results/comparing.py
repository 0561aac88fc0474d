"""Comparing models with the first of them, task by task."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparability import check_comparable, one_player, without_repeats
from envscaler_eval.results.comparison import Comparison, ComparisonReport
from envscaler_eval.results.floors import Floor, known_floor, measured_floor
from envscaler_eval.results.paired_comparison import Compared, compare_pairs
from envscaler_eval.results.pairing import Pairs, pair, runs_by_sample
from envscaler_eval.results.statistics import FEWEST_CLUSTERS, holm
from envscaler_eval.results.table import ResultTable


@dataclass(frozen=True)
class Accepted:
    """What a person accepts that is otherwise refused.

    Attributes:
        differences: Other versions, arguments, data or samples: compare what is
            common.
        repeats: A sample in several logs of a model: count it as further trials.
    """

    differences: bool = False
    repeats: bool = False


def compare(
    sides: Sequence[ResultTable],
    accepted: Accepted,
    score: str | None = None,
    floor: ResultTable | None = None,
    names: Sequence[str] | None = None,
) -> ComparisonReport:
    """Compare the first model with each of the others, on all tasks that both have.

    Args:
        sides: The logs of each model, before training first.
        accepted: What is compared all the same.
        score: The score that the tasks are judged by, instead of their own.
        floor: Logs of `policy/noop` on the same samples.
        names: What the models are called, by default as in the logs.

    Returns:
        For each other model and task the comparison by the score that counts, first
        of the whole task and then of its parts, and by all other scores.

    Raises:
        UsageError: Logs cannot be compared, or have no task in common.
    """
    labels = names or _labels(sides)
    kept = [
        without_repeats(side, accepted.repeats, label)
        for side, label in zip(sides, labels, strict=True)
    ]
    notes = [note for side in kept for note in side.notes]
    floors = floor and without_repeats(floor, False, "--floor")
    comparisons: list[Comparison] = []
    for after, label in zip(kept[1:], labels[1:], strict=True):
        tasks = [task for task in kept[0].tasks if task in after.tasks]
        if not tasks:
            raise UsageError(
                f"{labels[0]} and {label} have no task in common: {', '.join(kept[0].tasks)} and "
                f"{', '.join(after.tasks)}"
            )
        lacking = {*kept[0].tasks, *after.tasks} - set(tasks)
        notes += [f"{task}: only one of {labels[0]} and {label} has it" for task in sorted(lacking)]
        for task in tasks:
            two = _Two(kept[0].of_task(task), after.of_task(task), labels[0], label)
            notes += two.check(accepted.differences)
            comparisons += two.comparisons(score, floors and floors.of_task(task))
    notes += _remarks(comparisons)
    return ComparisonReport(tuple(_with_holm(comparisons)), tuple(dict.fromkeys(notes)))


def _labels(sides: Sequence[ResultTable]) -> list[str]:
    """Name each side by its model, and by its first log where models share a name."""
    names = ["BEFORE", "AFTER", *(f"AFTER {place}" for place in range(2, len(sides)))]
    players = [one_player(side, name) for side, name in zip(sides, names, strict=True)]
    return [
        player if players.count(player) == 1 else f"{player} [{side.logs[0].path}]"
        for player, side in zip(players, sides, strict=True)
    ]


@dataclass(frozen=True)
class _Two:
    """Two models on one task."""

    before: ResultTable
    after: ResultTable
    before_label: str
    after_label: str

    @property
    def _task(self) -> str:
        return self.before.logs[0].task

    def check(self, accept: bool) -> list[str]:
        """Check the logs; return what differs."""
        notes = check_comparable([*self.before.logs, *self.after.logs], accept)
        pairs = self._pairs(self.before.logs[0].primary)
        for samples, label in (
            (pairs.only_before, self.before_label),
            (pairs.only_after, self.after_label),
        ):
            if not samples:
                continue
            told = f"{self._task}: {len(samples)} samples are in the logs of {label} only"
            if not accept:
                raise UsageError(
                    f"{told}, such as {samples[0]}; run both on the same samples, or compare those "
                    "that both have with --accept-differences"
                )
            notes.append(f"{told}, and are left out")
        if pairs.ungraded:
            notes.append(
                f"{self._task}: {len(pairs.ungraded)} samples cannot be scored, such as "
                f"{pairs.ungraded[0]}, and are left out"
            )
        return notes

    def comparisons(self, score: str | None, floors: ResultTable | None) -> Iterator[Comparison]:
        """Compare by the score that counts, whole and in parts, and by the others."""
        common = [name for name in self.before.logs[0].scores if name in self.after.logs[0].scores]
        primary = score or self.before.logs[0].primary
        if primary not in common:
            raise UsageError(
                f"{self._task}: there is no score '{primary}' in both; use one of "
                f"{', '.join(common)}"
            )
        pairs = self._pairs(primary)
        yield self._compare(pairs, primary, floors, primary=True)
        if len(pairs.groups) > 1:
            for group in pairs.groups:
                yield self._compare(pairs.of_group(group), primary, floors, group=group)
        for name in common:
            if name != primary:
                yield self._compare(self._pairs(name), name, floors)

    def _pairs(self, score: str) -> Pairs:
        return pair(runs_by_sample(self.before.rows, score), runs_by_sample(self.after.rows, score))

    def _compare(
        self,
        pairs: Pairs,
        score: str,
        floors: ResultTable | None,
        group: str | None = None,
        primary: bool = False,
    ) -> Comparison:
        log = self.before.logs[0]
        if not any(
            len(before.values) and len(after.values)
            for before, after in zip(pairs.before, pairs.after, strict=True)
        ):
            raise UsageError(
                f"{self._task}: no sample has a score '{score}' in the logs of both "
                f"{self.before_label} and {self.after_label}"
            )
        compared = Compared(
            before=self.before,
            after=self.after,
            before_label=self.before_label,
            after_label=self.after_label,
            pairs=pairs,
            score=score,
            group=group,
            primary=primary,
            macro=log.rules.macro and group is None,
        )
        return replace(compare_pairs(compared), floor=self._floor(pairs, score, floors, compared))

    def _floor(
        self, pairs: Pairs, score: str, floors: ResultTable | None, compared: Compared
    ) -> Floor | None:
        if floors is not None and floors.logs:
            runs = runs_by_sample(floors.rows, score)
            return measured_floor(floors, runs, pairs.before, compared.macro)
        return known_floor(self.before.logs[0], score, pairs.before)


def _with_holm(comparisons: Sequence[Comparison]) -> Iterator[Comparison]:
    """Correct the p-values of the tests that count, whatever their number."""
    primary = [comparison for comparison in comparisons if comparison.primary]
    adjusted = iter(holm([comparison.difference.p for comparison in primary]))
    for comparison in comparisons:
        yield replace(comparison, p_holm=next(adjusted)) if comparison.primary else comparison


def _remarks(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Tell what a reader must know of the comparisons that count."""
    for comparison in comparisons:
        if not comparison.primary:
            continue
        name = f"{comparison.task}, {comparison.after.player}"
        if comparison.difference.clusters < FEWEST_CLUSTERS:
            yield (
                f"{name}: no interval, since {comparison.difference.clusters} clusters "
                f"({comparison.cluster_name}s) are too few: at least {FEWEST_CLUSTERS} are needed"
            )
        if comparison.sign_is_open:
            bounds = comparison.bounds
            yield (
                f"{name}: the sign of the difference depends on missing episodes, it lies between "
                f"{bounds.low:+.3f} and {bounds.high:+.3f}; run them with `inspect eval-retry`"
            )
        if comparison.binary and comparison.difference.value == 0 and not comparison.gained:
            yield f"{name}: no sample has changed"
