"""Figures as SVG, the same text for the same data."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import write_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which people with any colour vision tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Shapes that go with the colours, so that nothing hangs on colour alone."""

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "envscaler",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}


def svg(width: float, height: float, draw: "Callable[[Figure], None]") -> str:
    """Return a figure as SVG, a document of its own.

    Args:
        width: In inches.
        height: In inches.
        draw: Draws on the empty figure.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    written = StringIO()
    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()


def write_svg(file: Path, text: str) -> None:
    """Write a figure to a file.

    Raises:
        UsageError: The file's name does not end in `.svg`, or it cannot be written.
    """
    if file.suffix != ".svg":
        raise UsageError(f"{file}: figures are written as SVG; name a file that ends in .svg")
    write_output(file, text)
