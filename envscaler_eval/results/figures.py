"""Figures as SVG files that are the same for the same data."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from envscaler_eval.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which people with any colour vision tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Shapes that go with the colours, so that nothing hangs on colour alone."""

_STYLE = {
    "svg.hashsalt": "envscaler",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}


@contextmanager
def svg_figure(file: Path, width: float, height: float) -> "Iterator[Figure]":
    """Give an empty figure to draw on, and write it at the end.

    Args:
        file: Where to, ending in `.svg`.
        width: In inches.
        height: In inches.

    Raises:
        UsageError: The file's name has another ending, or it cannot be written.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if file.suffix != ".svg":
        raise UsageError(f"{file}: figures are written as SVG; name a file that ends in .svg")
    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        try:
            figure.savefig(file, metadata={"Date": None})
        except OSError as fault:
            raise UsageError(f"{file}: cannot be written: {fault.strerror}") from None
