"""What `envscaler compare` tells."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparability import check_distinct, without_repeats
from envscaler_eval.results.comparing import Accepted, compare
from envscaler_eval.results.comparison import ComparisonReport
from envscaler_eval.results.comparison_tables import comparison_tables
from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.results.plan_basis import Assumptions
from envscaler_eval.results.planning import plan_tables
from envscaler_eval.results.published import published, published_tables
from envscaler_eval.results.table import ResultTable


def comparison_document(
    sides: Sequence[ResultTable],
    accepted: Accepted,
    score: str | None = None,
    floors: ResultTable | None = None,
    beside_published: bool = False,
) -> Document:
    """Tell what changed from the first model to the others.

    Args:
        sides: The logs of each model, before training first. Beside published
            figures one is enough.
        accepted: What is compared all the same.
        score: The score that the tasks are judged by, instead of their own.
        floors: Logs of `policy/noop` on the same samples.
        beside_published: Whether to add the figures of the EnvScaler paper.

    Raises:
        UsageError: Logs are lacking, or cannot be compared.
    """
    if not sides or (len(sides) < 2 and not beside_published):
        raise UsageError(
            "name the logs of two models at least, BEFORE and AFTER; or one with --published"
        )
    check_distinct(sides)
    report = ComparisonReport((), ())
    if len(sides) > 1:
        report = compare(sides, accepted, score, floors)
    tables = comparison_tables(report) if report.comparisons else []
    if beside_published:
        kept = [without_repeats(side, accepted.repeats, "a side") for side in sides]
        tables += published_tables(kept)
        report = replace(report, published=published())
    numbers = TypeAdapter(ComparisonReport).dump_json(report, indent=2)
    return Document("Comparison", tuple(tables), report.notes, numbers)


def plan_document(
    difference: float,
    sides: Sequence[ResultTable],
    assumed: Assumptions,
    score: str | None = None,
    repeats_as_trials: bool = False,
) -> Document:
    """Tell how many samples and trials a difference needs; see `plan_tables`.

    Raises:
        UsageError: A log is on both sides, or see there.
    """
    check_distinct(sides)
    tables = plan_tables(difference, sides, assumed, score, repeats_as_trials)
    numbers = TypeAdapter(list[PlainTable]).dump_json(tables, indent=2)
    return Document("Plan", tuple(tables), (), numbers)
