"""Curves over the number of environments, for the terminal and as a figure."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from envscaler_eval.results.figures import COLOURS, svg_figure
from envscaler_eval.results.plain_table import PlainTable
from envscaler_eval.results.scaling.curve import Curve
from envscaler_eval.results.statistics import FEWEST_CLUSTERS
from envscaler_eval.results.tables import p_value, with_interval

_LINES = {"flat": ":", "log": "--", "power": "-"}


def curve_tables(curves: Sequence[Curve]) -> list[PlainTable]:
    """Return the tables of curves: scores, gains and forms of each benchmark."""
    return [table for curve in curves for table in _tables(curve)]


def curve_notes(curves: Sequence[Curve]) -> list[str]:
    """Return what the curves say, a line each."""
    return [f"{curve.task}: {finding}" for curve in curves for finding in _findings(curve)]


def _tables(curve: Curve) -> Iterator[PlainTable]:
    clusters = curve.points[0].score.clusters
    yield PlainTable(
        title=f"{curve.task}: {curve.samples} samples in {clusters} clusters",
        headers=("environments", f"{curve.score} [95%]"),
        rows=tuple((str(one.environments), with_interval(one.score)) for one in curve.points),
    )
    yield PlainTable(
        title=f"{curve.task}: from step to step",
        headers=("environments", "gain [95%]", "per 10", "p", "p (Holm)"),
        rows=tuple(
            (
                f"{step.start} to {step.end}",
                with_interval(step.gain, sign=True),
                f"{step.per_ten:+.3f}",
                p_value(step.gain.p),
                p_value(step.adjusted_p),
            )
            for step in curve.steps
        ),
        note="Gains are paired by sample and tested by sign flips of clusters.",
    )
    if curve.forms:
        yield PlainTable(
            title=f"{curve.task}: forms of the curve",
            headers=("form", "parameters", "misfit (freedom)", "AIC", "weight"),
            rows=tuple(
                (
                    fit.formula,
                    ", ".join(f"{name} {value:.3f}" for name, value in fit.parameters.items()),
                    f"{fit.misfit:.1f} ({fit.freedom})",
                    f"{fit.aic:.1f}",
                    f"{fit.weight:.2f}",
                )
                for fit in curve.forms
            ),
            note="n: environments. weight: of the evidence, among these forms (Akaike).",
        )


def _findings(curve: Curve) -> Iterator[str]:
    yield (
        f"that scores rise has p {p_value(curve.trend.p)} by Page's test over clusters, "
        f"{p_value(curve.adjusted_p)} by Holm over benchmarks"
    )
    contrast = curve.first_against_later
    if contrast is not None:
        yield (
            "the first step brings more than all later ones together by "
            f"{with_interval(contrast, sign=True)}, p {p_value(contrast.p)}"
        )
    if curve.points[0].score.clusters < FEWEST_CLUSTERS:
        yield f"no intervals, since there are fewer than {FEWEST_CLUSTERS} clusters"
    if not curve.forms:
        yield "no forms were fitted, since scores vary too little or in too few clusters"


def draw_curves(curves: Sequence[Curve], file: Path) -> None:
    """Draw the curves as SVG, a panel for each benchmark.

    Raises:
        UsageError: The file cannot be written.
    """
    columns = min(len(curves), 2)
    rows = -(-len(curves) // columns)
    with svg_figure(file, 4.5 * columns, 3.4 * rows) as figure:
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for curve, axes in zip(curves, panels, strict=False):
            sizes = [point.environments for point in curve.points]
            dense = np.linspace(min(sizes), max(sizes), 200)
            for fit, colour in zip(curve.forms, COLOURS[1:], strict=False):
                axes.plot(
                    dense,
                    fit.curve(dense),
                    _LINES[fit.form],
                    color=colour,
                    linewidth=1.2,
                    label=f"{fit.form}, weight {fit.weight:.2f}",
                )
            for point in curve.points:
                if point.score.low is not None and point.score.high is not None:
                    axes.plot(
                        [point.environments] * 2,
                        [point.score.low, point.score.high],
                        color=COLOURS[0],
                        linewidth=1.5,
                    )
            axes.plot(
                sizes,
                [point.score.value for point in curve.points],
                "o",
                color=COLOURS[0],
                label=f"{curve.score}, 95% interval",
            )
            axes.set_title(curve.task, loc="left")
            axes.set_xlabel("environments trained on")
            axes.set_ylabel(curve.score)
            axes.legend(frameon=False, fontsize=7)
        for axes in panels[len(curves) :]:
            axes.set_axis_off()
