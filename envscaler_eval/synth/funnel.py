"""The funnel of a run: how many came to each stage, how many left it, and what it cost."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.prices import Price
from envscaler_eval.synth.answers import ANSWERS
from envscaler_eval.synth.artefacts import read_records
from envscaler_eval.synth.asking import REASKS
from envscaler_eval.synth.spending import Spending

_PREFIX = "stage_"


@dataclass(frozen=True)
class StageCount:
    """What became of the items of a stage.

    Attributes:
        name: The stage.
        kept: How many went on.
        dropped: How many did not, by their reasons' beginnings.
    """

    name: str
    kept: int
    dropped: Counter[str]

    @property
    def came(self) -> int:
        """How many came to it."""
        return self.kept + self.dropped.total()


@dataclass(frozen=True)
class Funnel:
    """What a run has made, and spent.

    Attributes:
        stages: The stages, in the order in which they were first reached.
        reasks: How often an answer could not be used, by step.
        spending: On all answers.
        by_part: On the answers of `skel_builder`, of `scen_generator`.
        by_role: On the answers of each role.
    """

    stages: tuple[StageCount, ...]
    reasks: Counter[str]
    spending: Spending = field(default_factory=Spending)
    by_part: dict[str, Spending] = field(default_factory=dict)
    by_role: dict[str, Spending] = field(default_factory=dict)

    def stage(self, name: str) -> StageCount:
        """Return what became of a stage's items, nothing where it was not reached."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        return StageCount(name, 0, Counter())


def read_funnel(folder: Path, prices: Mapping[str, Price], order: tuple[str, ...] = ()) -> Funnel:
    """Read the funnel of a run, be it finished or not.

    An item that went through a stage twice, because something it depends on has
    changed in between, counts as it went last. Money counts whenever it was spent.

    Args:
        folder: The run's folder.
        prices: Of models that Inspect has not priced.
        order: The stages in the order of the way; others follow.

    Raises:
        UsageError: There is no run.
    """
    found = {file.stem.removeprefix(_PREFIX) for file in folder.glob(f"{_PREFIX}*.jsonl")}
    if not found:
        raise UsageError(f"{folder}: holds no run; give the folder of `envscaler synth`")
    names = [name for name in order if name in found]
    names += sorted(found - set(names))
    funnel = Funnel(
        stages=tuple(_count(folder, name) for name in names),
        reasks=Counter(record["step"] for record in read_records(folder, REASKS)),
    )
    for record in read_records(folder, ANSWERS):
        funnel.spending.add(record, prices)
        funnel.by_part.setdefault(record["part"], Spending()).add(record, prices)
        funnel.by_role.setdefault(record["role"], Spending()).add(record, prices)
    return funnel


def kept_values(folder: Path, stage: str) -> Iterator[tuple[str, Any]]:
    """Yield the items that a stage has kept, with what they became, as JSON data."""
    for item, record in _last(folder, stage).items():
        if record["status"] == "kept":
            yield item, record["value"]


def _count(folder: Path, name: str) -> StageCount:
    last = _last(folder, name).values()
    dropped = Counter(_beginning(r["reason"]) for r in last if r["status"] == "dropped")
    return StageCount(name, sum(r["status"] == "kept" for r in last), dropped)


def _last(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    return {record["item"]: record for record in read_records(folder, f"{_PREFIX}{name}")}


def _beginning(reason: str) -> str:
    """Return what reasons of one kind have in common."""
    return reason.split(":")[0].split("'")[0].split("(")[0].strip()[:80]
