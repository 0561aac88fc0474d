"""Packs written for tests: a small stock room, sound unless a test says otherwise."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario

SOURCE = '''
"""A stock room."""

from typing import Literal


class StockRoom:
    """Keeps items and takes orders for more."""

    def __init__(self, init_config: dict) -> None:
        self.items: dict[str, dict] = {}
        self.orders: dict[str, dict] = {}
        self.next_order: int = 1

    def list_items(self) -> dict:
        """List the items with their quantities."""
        return {"success": True, "items": self.items}

    def take_item(self, item_id: str, quantity: int) -> dict:
        """Take pieces of an item out of the stock.

        Args:
            item_id: The item.
            quantity: How many pieces, at least 1.
        """
        item = self.items.get(item_id)
        if item is None:
            return {"success": False, "error": f"There is no item {item_id}"}
        if not 1 <= quantity <= item["quantity"]:
            return {"success": False, "error": f"{item['quantity']} pieces are left"}
        item["quantity"] -= quantity
        return {"success": True, "left": item["quantity"]}

    def order_item(self, item_id: str, priority: Literal["low", "high"] = "low") -> dict:
        """Order more of an item.

        Args:
            item_id: The item.
            priority: How urgent it is.
        """
        if item_id not in self.items:
            return {"success": False, "error": f"There is no item {item_id}"}
        order_id = f"O-{self.next_order}"
        self.orders[order_id] = {"item_id": item_id, "priority": priority}
        self.next_order += 1
        return {"success": True, "order_id": order_id}

    def break_down(self, message: str = "out of order") -> dict:
        """Fail in a way that no tool should.

        Args:
            message: What the failure says.
        """
        raise RuntimeError(message)

    def _secret(self) -> dict:
        return {"success": True}
'''

STATE: dict[str, Any] = {
    "items": {
        "I-1": {"name": "bolt", "quantity": 10},
        "I-2": {"name": "nut", "quantity": 5},
    },
    "orders": {},
    "next_order": 1,
}

TAKEN = """
def check(initial, final):
    return final["items"]["I-1"]["quantity"] == 7
"""
ORDERED = """
def check(initial, final):
    return any(o["item_id"] == "I-2" and o["priority"] == "high" for o in final["orders"].values())
"""
KEPT = """
def check(initial, final):
    return final["items"]["I-2"] == initial["items"]["I-2"]
"""

CHECKS: list[dict[str, Any]] = [
    {"about": "three bolts were taken", "kind": "goal", "code": TAKEN},
    {"about": "nuts were ordered", "kind": "goal", "code": ORDERED},
    {"about": "no nut was taken", "kind": "guard", "code": KEPT},
]
SOLUTION: list[dict[str, Any]] = [
    {"name": "list_items", "arguments": {}},
    {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": 3}},
    {"name": "order_item", "arguments": {"item_id": "I-2", "priority": "high"}},
]


def a_scenario(**changes: Any) -> dict[str, Any]:
    """Return a sound scenario as it stands in scenarios.yaml, with changes; None drops a field."""
    entry = {
        "id": "restock",
        "state": "monday",
        "now": "2026-03-09T08:30:00",
        "task": "Take three bolts out. Then order nuts. It is urgent.",
        "checks": CHECKS,
        "solution": SOLUTION,
        "tags": ["easy"],
        **changes,
    }
    return {key: value for key, value in entry.items() if value is not None}


def write_pack(
    root: Path,
    env: str = "stock_room",
    *,
    source: str = SOURCE,
    scenarios: Sequence[Mapping[str, Any]] | None = None,
    states: Mapping[str, Any] | None = None,
    **info: Any,
) -> Path:
    """Write a pack and return its folder; `info` changes fields of pack.yaml, None drops one."""
    folder = root / env
    (folder / "states").mkdir(parents=True)
    content = {
        "id": env,
        "title": "Stock room",
        "introduction": "Keeps small parts.",
        "rules": ["Nobody takes more than there is."],
        "class_name": "StockRoom",
        "domain": "logistics",
        "split": "train",
        "licence": "MIT",
        "canary": f"envscaler-eval:{env}:test",
        **info,
    }
    content = {key: value for key, value in content.items() if value is not None}
    (folder / "pack.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    (folder / "environment.py").write_text(source, encoding="utf-8")
    write_scenarios(folder, [a_scenario()] if scenarios is None else scenarios)
    for name, state in (states or {"monday": STATE}).items():
        (folder / "states" / f"{name}.json").write_text(json.dumps(state), encoding="utf-8")
    return folder


def write_scenarios(folder: Path, scenarios: Sequence[Mapping[str, Any]]) -> None:
    """Write scenarios.yaml."""
    # JSON is YAML, and free of YAML 1.1's guesses about dates and booleans.
    (folder / "scenarios.yaml").write_text(json.dumps(list(scenarios)), encoding="utf-8")


def stock_room(root: Path, **changes: Any) -> tuple[Pack, InProcessRuntime, Scenario]:
    """Write and read a stock room; return it with a runtime and its first scenario."""
    pack = read_pack(write_pack(root, **changes))
    return pack, InProcessRuntime(pack.environment), pack.scenarios[0]
