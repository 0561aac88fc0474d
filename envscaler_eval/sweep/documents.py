"""What the commands tell of a sweep, as tables."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from envscaler_eval.prices import Price
from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.results.report.runs import runs_of
from envscaler_eval.results.report.scores import run_scores, scores_table
from envscaler_eval.results.table import ResultTable
from envscaler_eval.results.tables import few_clusters
from envscaler_eval.sweep.status import SweepStatus, dollars

_NONE = "-"


def status_document(status: SweepStatus, prices: Mapping[str, Price]) -> Document:
    """Return how far a sweep has come.

    Args:
        status: The sweep's status.
        prices: Prices by model, for those that are known.
    """
    progress = PlainTable(
        title="Progress",
        headers=("model/task", "shards", "episodes", "failed shards"),
        rows=tuple(
            (
                unit.unit,
                f"{unit.shards_done} of {unit.shards}",
                f"{unit.episodes_done:,} of {unit.episodes:,}",
                str(unit.shards_failed) if unit.shards_failed else _NONE,
            )
            for unit in status.units
        ),
    )
    spent = PlainTable(
        title="Spent",
        headers=("model", "input tokens", "cached", "output tokens", "$"),
        rows=tuple(
            (
                model,
                f"{usage.get('input_tokens', 0):,.0f}",
                f"{usage.get('input_tokens_cache_read', 0):,.0f}",
                f"{usage.get('output_tokens', 0):,.0f}",
                _NONE if (cost := dollars({model: usage}, prices)) is None else f"{cost:,.2f}",
            )
            for model, usage in sorted(status.usage().items())
        ),
        note="Of shards that are done; what a lost worker had asked for is not seen here.",
    )
    notes = [
        f"{failure.unit}: shard {failure.key} failed on {failure.worker or 'a lost worker'}: "
        f"{failure.message}"
        for failure in status.failures
    ]
    if status.strange:
        notes.append(f"{status.strange} shards of an earlier plan are left out")
    numbers = {
        "complete": status.is_complete,
        "units": [asdict(unit) for unit in status.units],
        "failures": [asdict(failure) for failure in status.failures],
        "dollars": dollars(status.usage(), prices) if prices else None,
    }
    return Document("Sweep", (progress, spent), tuple(notes), _json(numbers))


def results_document(table: ResultTable, score: str | None) -> Document:
    """Return what each model of a sweep scores.

    Args:
        table: The sweep's logs.
        score: The score that tasks are judged by, instead of their own.

    Raises:
        UsageError: A model has a sample twice, or a log lacks the score.
    """
    runs = runs_of(table, repeats_as_trials=False)
    scores = run_scores(runs, score, None)
    notes = [*runs.notes]
    for one in scores:
        missing = sum(one.side.missing.values())
        if one.part is None:
            notes += few_clusters(f"{one.task}, {one.side.player}", one.side.mean)
        if one.part is None and missing:
            bounds = one.side.bounds
            notes.append(
                f"{one.task}, {one.side.player}: {missing} episodes have no score; the mean is "
                f"between {bounds.low:.3f} and {bounds.high:.3f} whatever they would have scored"
            )
    numbers = [asdict(one) for one in scores]
    return Document("Results", (scores_table(scores),), tuple(notes), _json(numbers))


def _json(numbers: object) -> bytes:
    return json.dumps(numbers, indent=1, sort_keys=True, default=float).encode() + b"\n"
