"""What the terminal shows while a synthesis runs, and after it."""

from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from envscaler_eval.prices import Price
from envscaler_eval.synth.funnel import Funnel
from envscaler_eval.synth.spending import Spending
from envscaler_eval.synth.watching import Finding

_REASONS = 3
_PAPER = {
    "skel_builder": ("skeletons", "environment", 1.02),
    "scen_generator": ("proven", "scenario", 0.06),
}
"""By part: the stage that keeps what it makes, its name, and the dollars for each that are
reported for EnvScaler with GPT-4.1 (arXiv 2601.05808)."""


class Display:
    """A watcher that draws what happens. A context manager.

    Nothing is drawn where there is no terminal, but for the last state.
    """

    def __init__(
        self, console: Console, prices: Mapping[str, Price], order: tuple[str, ...]
    ) -> None:
        """Draw on a console.

        Args:
            console: Where.
            prices: Of models that Inspect has not priced.
            order: The stages, in the order of the way.
        """
        self._prices = prices
        self._stages: dict[str, Counter[str]] = {stage: Counter() for stage in order}
        self._spent = Spending()
        self._recorded = self._reasks = 0
        self._last = self._shared = ""
        self._live = Live(console=console, refresh_per_second=4, get_renderable=self._drawn)

    def entered(self, stage: str) -> None:
        """An item has come to a stage."""
        self._stages.setdefault(stage, Counter())["at work"] += 1

    def left(self, stage: str, record: dict[str, Any]) -> None:
        """An item has left a stage."""
        counts = self._stages[stage]
        counts["at work"] -= 1
        counts[record["status"]] += 1
        if record["status"] != "kept":
            self._last = f"{stage}: {record['item']}: {record['reason']}"

    def answered(self, record: dict[str, Any], *, fresh: bool) -> None:
        """A model has answered."""
        if fresh:
            self._spent.add(record, self._prices)
        else:
            self._recorded += 1

    def asked_again(self, record: dict[str, Any]) -> None:
        """An answer could not be used."""
        self._reasks += 1
        self._last = f"asked again, {record['step']}: {record['item']}: {record['reason']}"

    def found(self, finding: Finding, item: str, record: dict[str, Any]) -> None:
        """Something was found on the way."""
        if finding == "assessed":
            self._last = f"assessed: {item}: {record['summary']}"

    def environments_done(self, done: int, total: int) -> None:
        """Of the environments that workers make, so many are done."""
        self._shared = f"{done} of {total} environments are done"

    def _drawn(self) -> RenderableType:
        table = Table("stage", "at work", "kept", "dropped", "unfinished", "kept of done",
                      box=SIMPLE_HEAD)  # fmt: skip
        for name, counts in self._stages.items():
            done = counts["kept"] + counts["dropped"]
            table.add_row(
                name,
                *(str(counts[key] or "") for key in ("at work", "kept", "dropped", "unfinished")),
                f"{counts['kept'] / done:.0%}" if done else "",
            )
        spent = (
            f"{self._spent.answers} answers, {self._recorded} from the record, "
            f"{self._reasks} asked again, {_tokens(self._spent)}, {_dollars(self._spent)}"
        )
        last = Text(" ".join(self._last.split()), style="dim", no_wrap=True, overflow="ellipsis")
        shared = [Text(self._shared)] if self._shared else []
        return Group(table, *shared, Text(spent), last)

    def __enter__(self) -> "Display":
        """Begin to draw."""
        self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Draw the last state."""
        self._last = ""
        self._live.__exit__(kind, fault, trace)


def funnel_report(funnel: Funnel) -> RenderableType:
    """Return the funnel as tables."""
    stages = Table("stage", "came", "kept", "share", "dropped because", box=SIMPLE_HEAD)
    for stage in funnel.stages:
        reasons = (f"{n} {why}" for why, n in stage.dropped.most_common(_REASONS))
        share = f"{stage.kept / stage.came:.0%}" if stage.came else ""
        stages.add_row(stage.name, str(stage.came), str(stage.kept), share, "; ".join(reasons))
    costs = Table("answers of", "answers", "tokens", "cost", box=SIMPLE_HEAD)
    for role, spending in (*funnel.by_role.items(), ("all", funnel.spending)):
        costs.add_row(role, str(spending.answers), _tokens(spending), _dollars(spending))
    lines = [_reasks(funnel), _unpriced(funnel.spending)]
    lines += [_cost_of_each(part, spent, funnel) for part, spent in funnel.by_part.items()]
    return Group(stages, costs, *(Text(line) for line in lines if line))


def _cost_of_each(part: str, spending: Spending, funnel: Funnel) -> str:
    if part not in _PAPER:
        return ""
    stage, thing, published = _PAPER[part]
    kept = funnel.stage(stage).kept
    if not kept:
        return ""
    cost = spending.each(kept)
    told = "at a cost that takes prices to tell" if cost is None else f"${cost:.2f}"
    return (
        f"For each {thing} that was kept: {_tokens(spending, kept)}, {told}. "
        f"EnvScaler reports ${published:.2f} with GPT-4.1."
    )


def _reasks(funnel: Funnel) -> str:
    told = ", ".join(f"{step} {count}" for step, count in funnel.reasks.most_common())
    return f"Asked again: {told}." if told else ""


def _unpriced(spending: Spending) -> str:
    names = ", ".join(sorted(spending.unpriced))
    return f"No price is known for {names}; give a table with --prices." if names else ""


def _tokens(spending: Spending, count: int = 1) -> str:
    return (
        f"{_short(spending.input_tokens / count)} in, {_short(spending.output_tokens / count)} out"
    )


def _short(count: float) -> str:
    if count >= 1_000_000:
        return f"{count / 1_000_000:.2f}M"
    return f"{count / 1000:.1f}k" if count >= 1000 else f"{count:.0f}"


def _dollars(spending: Spending) -> str:
    return "no price" if spending.known_dollars is None else f"${spending.dollars:.2f}"
