"""Logs for reports, of episodes with endings and faults of all kinds, and what reports show."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score

from envscaler_eval.results import read_results
from envscaler_eval.results.report.build import ReportOptions, build_report
from envscaler_eval.results.report.page import Page, PageTable, Section
from envscaler_eval.results.report.viewer import Viewer
from tests.results.log_files import Outcome, write_log

ENVIRONMENTS = 8
SCENARIOS = 2


def outcome(reward: float, **facts: Any) -> Score:
    """Return a score as the checklist gives it, with what the log tells beside."""
    known = {"ended_by": "completed", "steps": 5, "failed_checks": [] if reward == 1 else [0]}
    return Score(value={"reward": reward, "success": float(reward == 1)}, metadata=known | facts)


def write_run(path: Path, model: str, outcomes: Mapping[str, Outcome], **options: Any) -> Path:
    """Write the log of a model on eight environments with two scenarios each.

    Args:
        path: The log.
        model: The model.
        outcomes: Sample -> what its run gave; others reach 0.5.
        options: See `write_log`.
    """
    samples = [f"env_{env}/s{place}" for env in range(ENVIRONMENTS) for place in range(SCENARIOS)]
    metadata = {
        sample: {
            **{"env": sample.partition("/")[0], "scenario": sample.partition("/")[2]},
            **{"mode": "non_conv", "pack": sample.partition("/")[0], "pack_hash": "0"},
        }
        for sample in samples
    }
    return write_log(
        path.parent,
        {sample: [outcomes.get(sample, outcome(0.5))] for sample in samples},
        name=path.name,
        model=model,
        task="envscaler_eval/envscaler",
        scorer="checklist",
        sample_metadata=metadata,
        **options,
    )


def faulty_run(path: Path, model: str = "acme/weak", **options: Any) -> Path:
    """Write the log of a model that is ended, errs and is interrupted in many ways."""
    outcomes: dict[str, Outcome] = {
        "env_0/s0": outcome(
            0.0,
            ended_by="step_limit",
            tool_errors={"failed": 3, "invalid": 0},
            model_faults={"unknown_tool": 2},
            failed_checks=[0, 2],
            checks=[{"about": f"<b>wish</b> {place}", "kind": "goal"} for place in range(3)],
        ),
        "env_0/s1": outcome(
            0.25, ended_by="user_fault", tool_errors={"failed": 1}, user_faults={"empty": 3}
        ),
        "env_1/s0": outcome(0.5, collateral=["/items/3"]),
        "env_1/s1": RuntimeError("the provider is down"),
    }
    return write_run(path, model, outcomes, **options)


def better_run(path: Path, model: str = "acme/strong", **options: Any) -> Path:
    """Write the log of a model that solves all but the last environment."""
    solved: dict[str, Outcome] = {
        f"env_{env}/s{place}": outcome(1.0)
        for env in range(ENVIRONMENTS - 1)
        for place in range(SCENARIOS)
    }
    return write_run(path, model, solved, **options)


NO_OPTIONS = ReportOptions()


def report(*logs: Path, viewer: Viewer | None = None, options: ReportOptions = NO_OPTIONS) -> Page:
    """Return the report of logs."""
    return build_report(read_results(logs), None, viewer or Viewer(None, {}), options)


def section_of(page: Page, name: str) -> Section:
    """Return a section by its anchor."""
    (section,) = [section for section in page.sections if section.id == name]
    return section


def texts(table: PageTable) -> list[list[str]]:
    """Return the texts of a table's cells."""
    return [[cell.text for cell in row] for row in table.rows]
