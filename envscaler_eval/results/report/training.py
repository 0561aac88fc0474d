"""What training brought, of logs whose metadata tells how the model was trained."""

from envscaler_eval.errors import UsageError
from envscaler_eval.results import ablation
from envscaler_eval.results.aligning import score_grids
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.labels import LabelledLogs, from_metadata, labelled
from envscaler_eval.results.report.page import PageFigure, Section, page_tables
from envscaler_eval.results.scaling import curve
from envscaler_eval.results.scaling.curve_figure import curves_svg
from envscaler_eval.results.scaling.report import scaling_document
from envscaler_eval.results.table import ResultTable
from envscaler_eval.results.tables import remarks, with_interval


def scaling_section(table: ResultTable, accepted: Accepted, score: str | None) -> Section | None:
    """Show scores over the number of environments trained on; `None` if no two logs tell it."""
    logs = _tagged(table, curve.METADATA_KEY)
    if logs is None:
        return None
    title, lead = "Number of environments", "How scores grow with the environments trained on."
    try:
        grids = score_grids(logs, accepted, score)
        curves = curve.scaling_curves(grids)
    except UsageError as fault:
        return Section("scaling", title, lead, notes=(f"no curves: {fault.message}",))
    document = scaling_document(curves, remarks(logs, grids))
    points = "; ".join(
        f"{one.task}, {one.score}: "
        + ", ".join(f"{point.environments}: {with_interval(point.score)}" for point in one.points)
        for one in curves
    )
    figure = PageFigure(
        title="Scores over the number of environments, with 95% intervals and fitted forms",
        alternative=points,
        svg=curves_svg(curves),
        tables=page_tables(document.tables),
    )
    return Section("scaling", title, lead, figures=(figure,), notes=document.notes)


def ablation_section(table: ResultTable, accepted: Accepted, score: str | None) -> Section | None:
    """Compare modes of training; `None` if no two logs tell them."""
    logs = _tagged(table, ablation.METADATA_KEY)
    if logs is None:
        return None
    title, lead = "Training modes", "Models that were trained in different ways."
    try:
        grids = score_grids(logs, accepted, score)
        document = ablation.ablation_document(ablation.ablations(grids, None), remarks(logs, grids))
    except UsageError as fault:
        return Section("modes", title, lead, notes=(f"not compared: {fault.message}",))
    return Section("modes", title, lead, tables=page_tables(document.tables), notes=document.notes)


def _tagged(table: ResultTable, key: str) -> LabelledLogs | None:
    """Return the logs whose metadata has a key, by its value, if there are several values."""
    logs = tuple(log for log in table.logs if key in log.metadata)
    rows = tuple(row for row in table.rows if key in row.log.metadata)
    found = labelled(ResultTable(logs, rows), from_metadata(key))
    return found if len(found.tables) > 1 else None
