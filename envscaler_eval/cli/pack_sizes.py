"""The table behind `envscaler list --stats`."""

from collections.abc import Iterable, Sequence
from statistics import mean
from typing import get_args

import typer
from tabulate import tabulate

from envscaler_eval.difficulty import Difficulty
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.pack_statistics import PUBLISHED, PackStatistics, pack_statistics

_COLUMNS = ("id", "split", "tools", "query", "change", "categories", "rules", "scenarios", "calls")
_DIFFICULTIES = get_args(Difficulty)


def show_sizes(packs: Sequence[Pack]) -> None:
    """Print the size of each pack, and their means beside those of EnvScaler."""
    if not packs:
        return
    isolation = IsolationPolicy()
    sizes = [pack_statistics(pack, isolation.runtime(pack)) for pack in packs]
    typer.echo(
        tabulate(
            [_row(pack, size) for pack, size in zip(packs, sizes, strict=True)],
            headers=[*_COLUMNS, *_DIFFICULTIES],
            floatfmt=".1f",
            missingval="?",
        )
    )
    typer.echo("")
    typer.echo(
        tabulate(
            [
                ("tools of an environment", _mean(s.tools for s in sizes), PUBLISHED["tools"]),
                ("  that query", _mean(s.tools - s.change for s in sizes), PUBLISHED["query"]),
                ("  that change state", _mean(s.change for s in sizes), PUBLISHED["change"]),
                (
                    "categories of state",
                    _mean(s.categories for s in sizes),
                    PUBLISHED["categories"],
                ),
                ("rules", _mean(s.rules for s in sizes), PUBLISHED["rules"]),
                ("scenarios", _mean(len(s.calls) for s in sizes), PUBLISHED["scenarios"]),
                ("calls of a solution", _mean(n for s in sizes for n in s.calls), None),
            ],
            headers=("mean", f"{len(packs)} here", "EnvScaler's 191"),
            floatfmt=".1f",
            missingval="?",
        )
    )
    total = sum(len(size.calls) for size in sizes)
    shares = ", ".join(
        f"{100 * sum(s.difficulties[level] for s in sizes) / max(total, 1):.0f}% {level}"
        for level in _DIFFICULTIES
    )
    domains = len({pack.info.domain for pack in packs})
    trained = sum(pack.info.split == "train" for pack in packs)
    typer.echo(f"\n{total} scenarios: {shares}")
    typer.echo(f"{domains} domains; {trained} packs to train on, {len(packs) - trained} to test on")


def _row(pack: Pack, size: PackStatistics) -> tuple[object, ...]:
    return (
        pack.info.id,
        pack.info.split,
        size.tools,
        size.tools - size.change,
        size.change,
        size.categories,
        size.rules,
        len(size.calls),
        _mean(size.calls),
        *(size.difficulties[level] for level in _DIFFICULTIES),
    )


def _mean(values: Iterable[int]) -> float | None:
    known = list(values)
    return float(mean(known)) if known else None
