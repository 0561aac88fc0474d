"""Curves over the number of environments as a figure."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from envscaler_eval.results.figures import COLOURS, svg
from envscaler_eval.results.scaling.curve import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINES = {"flat": ":", "log": "--", "power": "-"}
_COLUMNS = 2


def curves_svg(curves: Sequence[Curve]) -> str:
    """Return the curves as SVG, a panel for each benchmark."""
    columns = min(len(curves), _COLUMNS)
    rows = -(-len(curves) // columns)
    return svg(4.5 * columns, 3.4 * rows, partial(_draw, curves, rows, columns))


def _draw(curves: Sequence[Curve], rows: int, columns: int, figure: "Figure") -> None:
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for curve, axes in zip(curves, panels, strict=False):
        _draw_panel(curve, axes)
    for axes in panels[len(curves) :]:
        axes.set_axis_off()


def _draw_panel(curve: Curve, axes: "Axes") -> None:
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
            ends = [point.score.low, point.score.high]
            axes.plot([point.environments] * 2, ends, color=COLOURS[0], linewidth=1.5)
    means = [point.score.value for point in curve.points]
    axes.plot(sizes, means, "o", color=COLOURS[0], label=f"{curve.score}, 95% interval")
    axes.set_title(curve.task, loc="left")
    axes.set_xlabel("environments trained on")
    axes.set_ylabel(curve.score)
    axes.legend(frameon=False, fontsize=7)
