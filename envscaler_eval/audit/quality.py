"""An audit in numbers: what tables show and packs record."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envscaler_eval import core_yaml
from envscaler_eval.audit.findings import Item, ItemName, PackCard, Rate, ScenarioCard

_QUALITY_BLOCK = re.compile(r"^quality:.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


def quality(card: PackCard) -> dict[str, Any]:
    """Return the numbers of a pack's audit, with the hash of what was audited."""
    scenarios = card.scenarios
    floors = _items(scenarios, "floor")
    environment = {item.name: item for item in card.environment.items}
    coverage = environment.get("coverage")
    return {
        "audited": card.audited,
        "passed": card.passed,
        "scenarios": len(scenarios),
        "oracle": _share(scenarios, "oracle"),
        "determinism": _share(scenarios, "determinism"),
        "random_reward": {
            "mean": _rounded(sum(item.value or 0 for item in floors) / max(len(floors), 1)),
            "highest": _rounded(max((item.highest or 0 for item in floors), default=0)),
        },
        "necessity": _counts(scenarios, "necessity"),
        "argument_mutants": _counts(scenarios, "argument_mutants"),
        "collateral": _counts(scenarios, "collateral"),
        "tolerance": _counts(scenarios, "tolerance"),
        "check_mutation": _counts(scenarios, "check_mutation"),
        "environment_score": _rounded(card.environment.score),
        "coverage": _rounded(coverage.value or 0) if coverage else 0.0,
        "false_positives": _with_interval(pooled(c.false_positives for c in scenarios)),
        "false_negatives": _with_interval(pooled(c.false_negatives for c in scenarios)),
    }


def record_quality(folder: Path, card: PackCard) -> None:
    """Write an audit's numbers into `pack.yaml`, leaving the rest of it as it is."""
    file = folder / "pack.yaml"
    text = _QUALITY_BLOCK.sub("", file.read_text(encoding="utf-8")).rstrip("\n")
    block = core_yaml.dump({"quality": quality(card)})
    draft = file.with_suffix(".yaml.draft")
    draft.write_text(f"{text}\n{block}", encoding="utf-8")
    draft.replace(file)


def pooled(rates: Iterable[Rate]) -> Rate:
    """Return many rates as one."""
    return sum(rates, Rate(count=0, total=0))


def _items(scenarios: Iterable[ScenarioCard], name: ItemName) -> list[Item]:
    return [item for card in scenarios for item in card.items if item.name == name]


def _share(scenarios: Iterable[ScenarioCard], name: ItemName) -> float | None:
    """Return how many passed; `None` where none was asked, as without a solution."""
    items = _items(scenarios, name)
    return _rounded(sum(item.passed for item in items) / len(items)) if items else None


def _counts(scenarios: Iterable[ScenarioCard], name: ItemName) -> dict[str, int]:
    items = _items(scenarios, name)
    return {
        "right": sum(item.cases - item.failures for item in items),
        "of": sum(item.cases for item in items),
    }


def _with_interval(rate: Rate) -> dict[str, Any]:
    return {
        "count": rate.count,
        "of": rate.total,
        "wilson_95": [_rounded(bound) for bound in rate.wilson()],
    }


def _rounded(value: float) -> float:
    return round(value, 4)
