"""A report from logs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.published import published, published_tables
from envscaler_eval.results.report.comparisons import comparison_section
from envscaler_eval.results.report.environments import environment_scores, environments_section
from envscaler_eval.results.report.failed_checks import failed_checks
from envscaler_eval.results.report.failures import run_failures
from envscaler_eval.results.report.failures_section import failures_section
from envscaler_eval.results.report.page import Page, Section, page_tables
from envscaler_eval.results.report.runs import Runs, runs_of
from envscaler_eval.results.report.samples import samples_section
from envscaler_eval.results.report.scores import run_scores, scores_section
from envscaler_eval.results.report.similarity_map import similarity_section
from envscaler_eval.results.report.training import ablation_section, scaling_section
from envscaler_eval.results.report.viewer import Viewer
from envscaler_eval.results.table import ResultTable

_CHECKS = 20


@dataclass(frozen=True)
class ReportOptions:
    """What a person chooses of a report.

    Attributes:
        title: Its heading.
        score: The score that tasks are judged by, instead of their own.
        accepted: What is compared all the same.
        train: The packs that were trained on, by id or folder; by default those of the
            library's training split.
        published: Whether to show the EnvScaler paper's figures beside.
        data_dir: A folder that holds a folder for each benchmark.
    """

    title: str = "Results"
    score: str | None = None
    accepted: Accepted = field(default_factory=Accepted)
    train: Sequence[str] = ()
    published: bool = False
    data_dir: Path | None = None


def build_report(
    table: ResultTable, floors: ResultTable | None, viewer: Viewer, options: ReportOptions
) -> Page:
    """Show all that logs say, on one page.

    Args:
        table: The logs.
        floors: Logs of `policy/noop` on the same samples.
        viewer: Where samples are shown.
        options: What a person chooses.

    Raises:
        UsageError: A model's logs have a sample twice, or one lacks the score.
    """
    runs = runs_of(table, options.accepted.repeats)
    score, accepted = options.score, options.accepted
    checks, all_checks = failed_checks(runs, _CHECKS)
    sections = [
        scores_section(run_scores(runs, score, floors), runs),
        comparison_section(runs, accepted, score, floors),
        _published_section(runs) if options.published else None,
        scaling_section(table, accepted, score),
        ablation_section(table, accepted, score),
        environments_section(environment_scores(runs, score)),
        failures_section(run_failures(runs), checks, all_checks, viewer),
        similarity_section(table, options.train, options.data_dir),
        samples_section(runs, score, viewer),
    ]
    return Page(
        title=options.title,
        facts=_facts(runs),
        notes=runs.notes,
        sections=tuple(section for section in sections if section is not None),
    )


def _published_section(runs: Runs) -> Section:
    return Section(
        id="published",
        title="Published figures",
        lead=f"{published().source}. They were not run again here.",
        tables=page_tables(published_tables(list(runs.tables.values()))),
    )


def _facts(runs: Runs) -> tuple[tuple[str, str], ...]:
    logs = [log for table in runs.tables.values() for log in table.logs]
    rows = [row for table in runs.tables.values() for row in table.rows]
    missing = sum(row.missing is not None for row in rows)
    days = sorted(log.created[:10] for log in logs)
    return (
        ("models", str(len(runs.tables))),
        ("tasks", ", ".join(runs.tasks)),
        ("samples", f"{len({(row.log.task, row.sample) for row in rows}):,}"),
        ("episodes", f"{len(rows):,}" + (f", {missing:,} missing" if missing else "")),
        ("run", days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"),
    )
