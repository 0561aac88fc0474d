"""Retail tools that only read.

Source: `tau_bench/envs/retail/tools/`, one file for each tool.
"""

import json

from envscaler_eval.benchmarks.tau_bench.tool import Database


def find_user_id_by_email(db: Database, email: str) -> str:
    """Return the first user with an email address, in any case."""
    for user_id, user in db["users"].items():
        if user["email"].lower() == email.lower():
            return user_id
    return "Error: user not found"


def find_user_id_by_name_zip(db: Database, first_name: str, last_name: str, zip: str) -> str:
    """Return the first user with a name, in any case, and a zip code, as a string."""
    for user_id, user in db["users"].items():
        name = user["name"]
        if (
            name["first_name"].lower() == first_name.lower()
            and name["last_name"].lower() == last_name.lower()
            and user["address"]["zip"] == zip
        ):
            return user_id
    return "Error: user not found"


def get_order_details(db: Database, order_id: str) -> str:
    """Return an order; its id starts with `#`."""
    if order_id not in db["orders"]:
        return "Error: order not found"
    return json.dumps(db["orders"][order_id])


def get_product_details(db: Database, product_id: str) -> str:
    """Return a product with its variants."""
    if product_id not in db["products"]:
        return "Error: product not found"
    return json.dumps(db["products"][product_id])


def get_user_details(db: Database, user_id: str) -> str:
    """Return a user."""
    if user_id not in db["users"]:
        return "Error: user not found"
    return json.dumps(db["users"][user_id])


def list_all_product_types(db: Database) -> str:
    """Return product ids by product name, sorted by name."""
    ids = {product["name"]: product["product_id"] for _, product in db["products"].items()}
    return json.dumps({name: ids[name] for name in sorted(ids)})
