"""Retail tools that change pending orders, and a user's address.

Source: `tau_bench/envs/retail/tools/`, one file for each tool.
"""

import json
from typing import Any

from envscaler_eval.benchmarks.tau_bench.retail.items import item_with_id, replacement_fault
from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Database

CANCEL_REASONS = ["no longer needed", "ordered by mistake"]


def cancel_pending_order(db: Database, order_id: str, reason: str) -> str:
    """Cancel an order and note a refund for each entry of its payment history.

    Every entry is refunded, earlier refunds too; gift cards are credited at
    once.
    """
    if order_id not in db["orders"]:
        return "Error: order not found"
    order = db["orders"][order_id]
    if order["status"] != "pending":
        return "Error: non-pending order cannot be cancelled"
    if reason not in CANCEL_REASONS:
        return "Error: invalid reason"

    refunds = []
    for payment in order["payment_history"]:
        method_id = payment["payment_method_id"]
        refunds.append(_entry("refund", payment["amount"], method_id))
        if "gift_card" in method_id:
            _charge(_methods(db, order)[method_id], -payment["amount"])
    order = db["orders"].own(order_id)
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    order["payment_history"].extend(refunds)
    return json.dumps(order)


def modify_pending_order_address(
    db: Database,
    order_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> str:
    """Replace the address of an order."""
    if order_id not in db["orders"]:
        return "Error: order not found"
    if db["orders"][order_id]["status"] != "pending":
        return "Error: non-pending order cannot be modified"
    order = db["orders"].own(order_id)
    order["address"] = _address(address1, address2, city, state, country, zip)
    return json.dumps(order)


def modify_user_address(
    db: Database,
    user_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> str:
    """Replace the default address of a user."""
    if user_id not in db["users"]:
        return "Error: user not found"
    user = db["users"].own(user_id)
    user["address"] = _address(address1, address2, city, state, country, zip)
    return json.dumps(user)


def modify_pending_order_payment(db: Database, order_id: str, payment_method_id: str) -> str:
    """Pay an order by another method and refund the first one."""
    if order_id not in db["orders"]:
        return "Error: order not found"
    order = db["orders"][order_id]
    if order["status"] != "pending":
        return "Error: non-pending order cannot be modified"
    methods = db["users"][order["user_id"]]["payment_methods"]
    if payment_method_id not in methods:
        return "Error: payment method not found"
    history = order["payment_history"]
    if len(history) > 1 or history[0]["transaction_type"] != "payment":
        return "Error: there should be exactly one payment for a pending order"
    old_id, amount = history[0]["payment_method_id"], history[0]["amount"]
    if old_id == payment_method_id:
        return "Error: the new payment method should be different from the current one"
    method = methods[payment_method_id]
    if method["source"] == "gift_card" and method["balance"] < amount:
        return "Error: insufficient gift card balance to pay for the order"

    order = db["orders"].own(order_id)
    order["payment_history"] += [
        _entry("payment", amount, payment_method_id),
        _entry("refund", amount, old_id),
    ]
    if method["source"] == "gift_card":
        _charge(_methods(db, order)[payment_method_id], amount)
    if "gift_card" in old_id:
        _charge(_methods(db, order)[old_id], -amount)
    return json.dumps(order)


def modify_pending_order_items(
    db: Database,
    order_id: str,
    item_ids: list[str],
    new_item_ids: list[str],
    payment_method_id: str,
) -> str:
    """Replace items by other variants of the same products, and settle the difference.

    The replacements happen one after the other, so that an item put in by an
    earlier pair can be replaced by a later one.
    """
    if order_id not in db["orders"]:
        return "Error: order not found"
    order = db["orders"][order_id]
    if order["status"] != "pending":
        return "Error: non-pending order cannot be modified"
    fault, difference = replacement_fault(db, order, item_ids, new_item_ids)
    if fault is not None:
        return fault
    methods = db["users"][order["user_id"]]["payment_methods"]
    if payment_method_id not in methods:
        return "Error: payment method not found"
    method = methods[payment_method_id]
    if method["source"] == "gift_card" and method["balance"] < difference:
        return "Error: insufficient gift card balance to pay for the new item"

    order = db["orders"].own(order_id)
    kind = "payment" if difference > 0 else "refund"
    order["payment_history"].append(_entry(kind, abs(difference), payment_method_id))
    if method["source"] == "gift_card":
        _charge(_methods(db, order)[payment_method_id], difference)
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = item_with_id(order, item_id)
        variant = db["products"][item["product_id"]]["variants"][new_item_id]
        item["item_id"] = new_item_id
        item["price"] = variant["price"]
        item["options"] = variant["options"]
    order["status"] = "pending (item modified)"
    return json.dumps(order)


def _methods(db: Database, order: Record) -> Record:
    """Return the payment methods of an order's owner, for writing."""
    methods: Record = db["users"].own(order["user_id"])["payment_methods"]
    return methods


def _charge(gift_card: Record, amount: Any) -> None:
    gift_card["balance"] = round(gift_card["balance"] - amount, 2)


def _entry(kind: str, amount: Any, method_id: str) -> Record:
    return {"transaction_type": kind, "amount": amount, "payment_method_id": method_id}


def _address(address1: str, address2: str, city: str, state: str, country: str, zip: str) -> Record:
    return {
        "address1": address1,
        "address2": address2,
        "city": city,
        "state": state,
        "country": country,
        "zip": zip,
    }
