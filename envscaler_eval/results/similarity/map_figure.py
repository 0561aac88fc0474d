"""The map of environments as a figure."""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from envscaler_eval.results.figures import COLOURS, MARKERS, svg
from envscaler_eval.results.similarity.report import MapPoint, SimilarityReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FONT_SIZE = 7.0
_LETTER_WIDTH = 0.56
"""Width of a letter, as a part of the font's size."""


class _Box(NamedTuple):
    """A rectangle in points: left, bottom, right, top."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: "_Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )


def map_svg(report: SimilarityReport, width: float = 8.0, height: float = 6.5) -> str:
    """Return the environments in the plane, as SVG.

    Args:
        report: The report.
        width: In inches; letters keep their size.
        height: In inches.
    """
    return svg(width, height, partial(_draw, report))


def _draw(report: SimilarityReport, figure: "Figure") -> None:
    groups = dict.fromkeys((point.role, point.source) for point in report.map)
    axes = figure.add_subplot()
    for (role, source), colour, marker in zip(groups, COLOURS, MARKERS, strict=False):
        points = [p for p in report.map if (p.role, p.source) == (role, source)]
        axes.scatter(
            [point.x for point in points],
            [point.y for point in points],
            label=f"{'to train on' if role == 'train' else 'test'}: {source}",
            marker=marker,
            s=45,
            facecolor=colour if role == "train" else "white",
            edgecolor=colour,
            linewidth=1.5,
            zorder=3,
        )
    axes.set_xticks([])
    axes.set_yticks([])
    title = f"Environments by their texts ({report.representation}); near means similar"
    axes.set_title(title, loc="left")
    axes.margins(0.1)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3)
    figure.draw_without_rendering()
    _label(axes, report.map, figure.dpi)


def _label(axes: "Axes", points: Sequence[MapPoint], dpi: float) -> None:
    """Name each point where its name covers no point and no other name, if there is room."""
    places = axes.transData.transform([(point.x, point.y) for point in points]) * 72 / dpi
    taken = [_Box(x - 4, y - 4, x + 4, y + 4) for x, y in places.tolist()]
    for point, (x, y) in zip(points, places.tolist(), strict=True):
        text = point.id.rpartition("/")[2]
        width = _LETTER_WIDTH * _FONT_SIZE * len(text)
        offsets = [
            (side, up)
            for up, side in product((3.0, -9.0, 9.0, -15.0), (6.0, -6.0 - width, -width / 2))
        ]
        boxes = [
            _Box(x + side, y + up, x + side + width, y + up + _FONT_SIZE) for side, up in offsets
        ]
        free = [not any(box.meets(other) for other in taken) for box in boxes]
        chosen = free.index(True) if True in free else 0
        taken.append(boxes[chosen])
        axes.annotate(
            text,
            (point.x, point.y),
            xytext=offsets[chosen],
            textcoords="offset points",
            fontsize=_FONT_SIZE,
        )
