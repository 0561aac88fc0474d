"""Audits for people: a table in the terminal and one self-contained page."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from rich.box import SIMPLE
from rich.table import Column, Table

from envscaler_eval.audit.findings import RFC_008, PackCard, Rate
from envscaler_eval.audit.quality import pooled, quality

_COLUMNS: dict[str, str] = {
    "necessity": "needed",
    "argument_mutants": "args",
    "collateral": "collat.",
    "tolerance": "toler.",
    "check_mutation": "checks",
}
"""What a pack is asked case by case, with a heading short enough for a terminal."""


def summary_table(cards: Sequence[PackCard]) -> Table:
    """Return a row for each pack; percentages are of cases that went right."""
    table = Table(
        Column("pack", no_wrap=True, overflow="ignore"),
        "pass",
        "oracle",
        "random (max)",
        *_COLUMNS.values(),
        "env.",
        "cover",
        box=SIMPLE,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for card in cards:
        numbers = quality(card)
        passed = sum(scenario.passed for scenario in card.scenarios)
        table.add_row(
            card.env,
            f"{passed}/{len(card.scenarios)}",
            "-" if numbers["oracle"] is None else f"{numbers['oracle']:.0%}",
            f"{numbers['random_reward']['mean']:.3f} ({numbers['random_reward']['highest']:.2f})",
            *(_percentage(**numbers[name]) for name in _COLUMNS),
            f"{numbers['environment_score']:.2f}",
            f"{numbers['coverage']:.0%}",
        )
    return table


def _percentage(right: int, of: int) -> str:
    return f"{right / of:.0%}" if of else "-"


def rates_text(cards: Sequence[PackCard]) -> str:
    """Return the false-positive and false-negative rates over all cards."""
    scenarios = [scenario for card in cards for scenario in card.scenarios]
    positives = pooled(card.false_positives for card in scenarios)
    negatives = pooled(card.false_negatives for card in scenarios)
    return (
        f"False positives (wrong trajectories that succeed): {_rate(positives)}\n"
        f"False negatives (right trajectories below 1): {_rate(negatives)}"
    )


def failures(cards: Sequence[PackCard]) -> list[str]:
    """Return what went wrong, a line for each finding."""
    lines = []
    for card in cards:
        for scenario in card.scenarios:
            for item in scenario.items:
                if not item.passed:
                    lines += [f"{scenario.name}: {item.name}: {note}" for note in item.notes]
        for item in card.environment.items:
            if not item.passed:
                lines += [f"{card.env}: {item.name}: {note}" for note in item.notes]
    return lines


def html_page(cards: Sequence[PackCard]) -> str:
    """Return the audit as one page that needs no network."""
    templates = Templates(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("report.html.j2").render(
        cards=[(card, quality(card)) for card in cards],
        columns=list(_COLUMNS),
        rates=rates_text(cards).splitlines(),
        rfc=RFC_008,
    )


def _rate(rate: Rate) -> str:
    low, high = rate.wilson()
    return f"{rate.count}/{rate.total} = {rate.value:.2%}, 95% Wilson [{low:.2%}, {high:.2%}]"
