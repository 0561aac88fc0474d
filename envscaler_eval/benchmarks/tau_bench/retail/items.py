"""Checks that retail tools share about the items of an order."""

from collections.abc import Iterator
from typing import Any

from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Database


def missing_items(order: Record, item_ids: list[str]) -> Iterator[Any]:
    """Yield each id that is asked for more often than the order has it.

    Anything may stand among the ids, `None` too.
    """
    present = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > present.count(item_id):
            yield item_id


def item_with_id(order: Record, item_id: str) -> Record:
    """Return the first item that has an id at this moment; there is one.

    Replacing items one after the other cannot use up an id: `missing_items` has
    counted, and each replacement takes away one item with the id it asks for.
    """
    items: list[Record] = order["items"]
    return next(item for item in items if item["item_id"] == item_id)


def replacement_fault(
    db: Database, order: Record, item_ids: list[str], new_item_ids: list[str]
) -> tuple[str | None, Any]:
    """Check that new items can stand in for items of an order.

    Returns:
        The observation if they cannot, else None; and the price difference, an
        unrounded sum in the order of the list that starts from the integer 0.
    """
    for missing in missing_items(order, item_ids):
        return f"Error: {missing} not found", 0
    if len(item_ids) != len(new_item_ids):
        return "Error: the number of items to be exchanged should match", 0
    difference = 0
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = item_with_id(order, item_id)
        variants = db["products"][item["product_id"]]["variants"]
        if not (new_item_id in variants and variants[new_item_id]["available"]):
            return f"Error: new item {new_item_id} not found or available", 0
        difference += variants[new_item_id]["price"] - item["price"]
    return None, difference
