"""Retail tools for delivered orders: return and exchange.

Both only note a request in the order; no balance and no item changes.

Source: `tau_bench/envs/retail/tools/`, one file for each tool.
"""

import json

from envscaler_eval.benchmarks.tau_bench.retail.items import missing_items, replacement_fault
from envscaler_eval.benchmarks.tau_bench.tool import Database


def return_delivered_order_items(
    db: Database, order_id: str, item_ids: list[str], payment_method_id: str
) -> str:
    """Ask for a return, refunded to the first payment's method or any gift card."""
    if order_id not in db["orders"]:
        return "Error: order not found"
    order = db["orders"][order_id]
    if order["status"] != "delivered":
        return "Error: non-delivered order cannot be returned"
    if payment_method_id not in db["users"][order["user_id"]]["payment_methods"]:
        return "Error: payment method not found"
    if (
        "gift_card" not in payment_method_id
        and payment_method_id != order["payment_history"][0]["payment_method_id"]
    ):
        return "Error: payment method should be either the original payment method or a gift card"
    for _ in missing_items(order, item_ids):
        return "Error: some item not found"

    order = db["orders"].own(order_id)
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return json.dumps(order)


def exchange_delivered_order_items(
    db: Database,
    order_id: str,
    item_ids: list[str],
    new_item_ids: list[str],
    payment_method_id: str,
) -> str:
    """Ask for an exchange of items for other variants of the same products."""
    if order_id not in db["orders"]:
        return "Error: order not found"
    order = db["orders"][order_id]
    if order["status"] != "delivered":
        return "Error: non-delivered order cannot be exchanged"
    fault, difference = replacement_fault(db, order, item_ids, new_item_ids)
    if fault is not None:
        return fault
    difference = round(difference, 2)
    methods = db["users"][order["user_id"]]["payment_methods"]
    if payment_method_id not in methods:
        return "Error: payment method not found"
    method = methods[payment_method_id]
    if method["source"] == "gift_card" and method["balance"] < difference:
        return "Error: insufficient gift card balance to pay for the price difference"

    order = db["orders"].own(order_id)
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return json.dumps(order)
