"""Figures of endings and faults: bars with patterns, so that nothing hangs on colour."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from envscaler_eval.results.figures import svg
from envscaler_eval.results.report.failures import Endings
from envscaler_eval.results.report.labels import LINE_HEIGHT, folded, height_of
from envscaler_eval.results.report.page import WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "---", "**", "|||")
_FILLS = ("#9ecae1", "#fdae6b", "#a1d99b", "#dadaeb", "#fdd0a2", "#c7e9c0", "#d9d9d9")
# A part of a bar below this share has no room for its figure.
_NARROW = 0.09


def endings_svg(failures: Sequence[Endings]) -> str:
    """Return the shares of endings as SVG, a bar for each run of each task."""
    endings = list(dict.fromkeys(ending for one in failures for ending in one.endings))
    tasks = {one.task for one in failures}
    labels = [folded(one.run if len(tasks) == 1 else f"{one.run}, {one.task}") for one in failures]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        starts = [0.0] * len(failures)
        for number, ending in enumerate(endings):
            shares = [len(one.endings.get(ending, ())) / one.episodes for one in failures]
            _bars(axes, range(len(failures)), shares, 0.7, number, ending, starts)
            for place, (start, share) in enumerate(zip(starts, shares, strict=True)):
                if share >= _NARROW:
                    _figure_on_bar(axes, start + share / 2, place, share)
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
        axes.set_yticks(range(len(failures)), labels)
        axes.set_ylim(len(failures) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=2, frameon=False)

    legend = 0.22 * -(-len(endings) // 2)
    return svg(WIDTH, 0.5 + len(labels) * max(map(height_of, labels)) + legend, draw)


def faults_svg(failures: Sequence[Endings]) -> str:
    """Return the shares of episodes with each kind of fault as SVG, for the runs of one task."""
    shares = [
        {(fault.family, fault.kind): fault.episodes / one.episodes for fault in one.faults}
        for one in failures
    ]
    # The order of families is that of the faults.
    families = list(dict.fromkeys(fault.family for one in failures for fault in one.faults))
    kinds = sorted(
        {kind for its in shares for kind in its},
        key=lambda kind: (families.index(kind[0]), -max(its.get(kind, 0) for its in shares), kind),
    )
    height = 0.8 / len(failures)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for number, (one, its) in enumerate(zip(failures, shares, strict=True)):
            places = [place - 0.4 + (number + 0.5) * height for place in range(len(kinds))]
            values = [its.get(kind, 0.0) for kind in kinds]
            _bars(axes, places, values, height, number, folded(one.run, 60))
            for place, value in zip(places, values, strict=True):
                axes.text(value + 0.01, place, f"{value:.0%}", va="center", fontsize=7)
        labels = [f"{kind.replace('_', ' ')}\n({family})" for family, kind in kinds]
        axes.set_yticks(range(len(kinds)), labels)
        axes.set_ylim(len(kinds) - 0.5, -0.5)
        axes.set_xlim(0, 1.1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.set_xlabel("share of episodes")
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=1, frameon=False)

    rows = max(2 * LINE_HEIGHT + 0.1, 0.17 * len(failures)) * len(kinds)
    return svg(WIDTH, 0.7 + rows + 0.22 * len(failures), draw)


def _bars(
    axes: "Axes",
    places: Sequence[float],
    values: Sequence[float],
    height: float,
    number: int,
    label: str,
    starts: Sequence[float] | None = None,
) -> None:
    axes.barh(
        places,
        values,
        left=starts or 0,
        height=height,
        label=label,
        color=_FILLS[number % len(_FILLS)],
        edgecolor="#333333",
        hatch=_HATCHES[number % len(_HATCHES)],
        linewidth=0.6,
    )


def _figure_on_bar(axes: "Axes", x: float, y: float, share: float) -> None:
    backing = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    axes.text(x, y, f"{share:.0%}", ha="center", va="center", bbox=backing)
