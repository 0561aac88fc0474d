"""A comparison as tables for people."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from envscaler_eval.results.comparison import ClusterChange, Comparison, ComparisonReport, Side
from envscaler_eval.results.document import PlainTable

_CHANGES_SHOWN = 3
_NONE = "-"
_AFTER = "model after"


def comparison_tables(report: ComparisonReport) -> list[PlainTable]:
    """Return the tables of a report, what matters most first."""
    differences, agreement, changes = change_tables(report)
    sides = (
        (one.task, side)
        for one in report.comparisons
        if one.primary
        for side in (one.before, one.after)
    )
    return [differences, agreement, episodes_table(sides), changes]


def change_tables(report: ComparisonReport) -> list[PlainTable]:
    """Return the tables of what changed: differences, flips, and where they are largest."""
    comparisons = report.comparisons
    tables = [_differences(comparisons), _agreement(comparisons), _changes(comparisons)]
    if len({one.after.player for one in comparisons}) == 1:
        tables = [_without_column(table, _AFTER) for table in tables]
    return tables


def _without_column(table: PlainTable, header: str) -> PlainTable:
    place = table.headers.index(header)
    return replace(
        table,
        headers=table.headers[:place] + table.headers[place + 1 :],
        rows=tuple(row[:place] + row[place + 1 :] for row in table.rows),
    )


def _differences(comparisons: Sequence[Comparison]) -> PlainTable:
    afters = dict.fromkeys(one.after.player for one in comparisons)
    return PlainTable(
        title="Before and after",
        headers=(
            *("task", _AFTER, "score", "samples", "floor", "before", "after"),
            *("difference [95%]", "p", "p (Holm)", "detectable"),
        ),
        rows=tuple(
            (
                _name(one),
                one.after.player,
                one.score,
                f"{one.samples} in {one.difference.clusters} {one.cluster_name}s",
                _NONE if one.floor is None else _score(one.floor.value),
                _score(one.before.mean.value),
                _score(one.after.mean.value),
                _difference(one),
                _p(one.difference.p),
                _NONE if one.p_holm is None else _p(one.p_holm),
                _NONE if one.detectable is None else _score(one.detectable),
            )
            for one in comparisons
        ),
        note=(
            f"before: {comparisons[0].before.player}; after: {', '.join(afters)}. "
            "Differences are paired by sample. p: sign flips of clusters; the interval inverts "
            "the test. Holm: over the rows that have one. detectable: the true difference that "
            "these samples and trials find four times in five, - if none. floor: what doing "
            "nothing earns. ?: the sign depends on missing episodes."
        ),
    )


def _agreement(comparisons: Sequence[Comparison]) -> PlainTable:
    return PlainTable(
        title="Flips and chance",
        headers=(
            *("task", _AFTER, "score", "better", "worse", "p (McNemar)"),
            *("pass^k before", "pass^k after", "same model differs", "ICC trials", "ICC clusters"),
        ),
        rows=tuple(
            (
                _name(one),
                one.after.player,
                one.score,
                f"{one.gained:.1%}",
                f"{one.lost:.1%}",
                _NONE if one.mcnemar is None else _p(one.mcnemar),
                pass_hat(one.before),
                pass_hat(one.after),
                _two(one.before.noise_flips, one.after.noise_flips, ".1%"),
                _two(one.before.trial_correlation, one.after.trial_correlation, ".2f"),
                _NONE if one.cluster_correlation is None else f"{one.cluster_correlation:.2f}",
            )
            for one in comparisons
        ),
        note=(
            "better, worse: for scores of 0 or 1 how often a run flips from 0 to 1, or back; else "
            "the share of samples. McNemar takes samples for independent, whatever their "
            "clusters. same model differs: how often two runs of one model on one sample do, "
            "before / after."
        ),
    )


def episodes_table(sides: Iterable[tuple[str, Side]]) -> PlainTable:
    """Tell of the episodes behind scores: what is missing, and what they took.

    Args:
        sides: Tasks, each with a model's figures.
    """
    rows = {
        (task, side.player): (
            task,
            side.player,
            str(side.episodes),
            ", ".join(f"{count} {reason}" for reason, count in side.missing.items()) or "0",
            _bounds(side),
            str(side.user_faults),
            _NONE if side.steps is None else f"{side.steps:.1f}",
            f"{side.tokens:.0f}",
            _NONE if side.cost is None else f"${side.cost:.4f}",
        )
        for task, side in sides
    }
    return PlainTable(
        title="Episodes",
        headers=(
            *("task", "model", "scored", "missing", "score, missing as lowest to highest"),
            *("user faults", "steps", "tokens", "cost"),
        ),
        rows=tuple(rows.values()),
        note=(
            "missing: faults of the infrastructure, which are never counted as 0. user faults: "
            "episodes in which the simulated user made a fault; they are scored. "
            "Steps, tokens and cost are means of an episode."
        ),
    )


def _changes(comparisons: Sequence[Comparison]) -> PlainTable:
    return PlainTable(
        title="Largest gains and losses",
        headers=("task", _AFTER, "cluster", "samples", "before", "after", "difference"),
        rows=tuple(
            (
                one.task,
                one.after.player,
                change.cluster,
                str(change.samples),
                _score(change.before),
                _score(change.after),
                _signed(change.difference),
            )
            for one in comparisons
            if one.primary
            for change in _largest(one.changes)
        ),
    )


def _largest(changes: Sequence[ClusterChange]) -> Iterator[ClusterChange]:
    yield from [change for change in changes if change.difference > 0][:_CHANGES_SHOWN]
    yield from [change for change in changes if change.difference < 0][-_CHANGES_SHOWN:]


def _name(comparison: Comparison) -> str:
    return comparison.task if comparison.group is None else f"- {comparison.group}"


def _score(value: float) -> str:
    return f"{value:.3f}"


def _difference(comparison: Comparison) -> str:
    mean = comparison.difference
    value = _signed(mean.value) + ("?" if comparison.sign_is_open else "")
    if mean.low is None or mean.high is None:
        return value
    return f"{value} [{_signed(mean.low)}, {_signed(mean.high)}]"


def _signed(value: float) -> str:
    # What rounds to zero has no sign of its own.
    return f"{round(value, 3) + 0.0:+.3f}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _bounds(side: Side) -> str:
    if not side.missing:
        return _NONE
    return f"{side.bounds.low:.3f} to {side.bounds.high:.3f}"


def pass_hat(side: Side) -> str:
    """Return how often all trials of a sample succeed, if there are several."""
    k = max(side.pass_hat, default=0)
    if k < 2:
        return _NONE
    return f"{side.pass_hat[k]:.3f} (k={k})"


def _two(before: float | None, after: float | None, form: str) -> str:
    if before is None and after is None:
        return _NONE
    return " / ".join(_NONE if value is None else format(value, form) for value in (before, after))
