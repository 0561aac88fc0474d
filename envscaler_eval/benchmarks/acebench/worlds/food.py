"""Ordering food from the six merchants."""

from collections.abc import Mapping
from typing import Any, ClassVar

from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.device import BaseApi
from envscaler_eval.benchmarks.acebench.worlds.platform import Tool


class FoodPlatform(BaseApi):
    """Accounts, menus and orders; several users may be logged in, and stay so."""

    saved: ClassVar[tuple[str, ...]] = ("users", "logged_in_users", "orders")

    def __init__(
        self, initial: Mapping[str, Any], settings: Mapping[str, Any], texts: Texts
    ) -> None:
        """Open the accounts and the menus."""
        super().__init__(initial, settings, texts)
        self.users: dict[str, dict[str, Any]] = self._initial["users"]
        self.merchant_list: dict[str, dict[str, Any]] = self._initial["merchant_list"]
        self.logged_in_users: list[Any] = self._settings.get("logged_in_users", [])
        self.orders: list[dict[str, Any]] = self._initial["orders"]

    def tools(self) -> Mapping[str, Tool]:
        """Return the switches and the tools for food."""
        return {
            **super().tools(),
            "login_food_platform": self.login_food_platform,
            "view_logged_in_users": self.view_logged_in_users,
            "check_balance": self.check_balance,
            "add_food_delivery_order": self.add_food_delivery_order,
            "get_products": self.get_products,
            "view_orders": self.view_orders,
            "search_orders": self.search_orders,
        }

    def login_food_platform(self, username: Any, password: Any) -> Any:
        """Log a user in; this alone needs the Wi-Fi."""
        if not self.wifi:
            return self.failure("food.offline")
        if username not in self.users:
            return self.failure("food.no_user")
        if self.users[username]["password"] != password:
            return self.failure("food.wrong_password")
        if username in self.logged_in_users:
            return self.failure("food.already_logged_in", user=username)
        self.logged_in_users.append(username)
        return self.success("food.logged_in", user=username)

    def view_logged_in_users(self) -> Any:
        """Return who is logged in."""
        if not self.logged_in_users:
            return self.failure("food.nobody_logged_in")
        return {"status": True, "logged_in_users": self.logged_in_users}

    def check_balance(self, user_name: Any) -> Any:
        """Return a user's balance, 0 for users that do not exist."""
        if user_name in self.users:
            return self.users[user_name]["balance"]
        return 0.0

    def add_food_delivery_order(self, username: Any, merchant_name: Any, items: Any) -> Any:
        """Order dishes of one merchant and pay them."""
        if username not in self.logged_in_users:
            return self.failure("food.not_logged_in", user=username)
        if merchant_name not in self.merchant_list:
            return self.failure("food.no_merchant_to_order")
        menu = self.merchant_list[merchant_name]["menu"]
        total = 0.0
        ordered = []
        for item in items:
            product = item.get("product")
            quantity = item.get("quantity", 1)
            if not isinstance(quantity, int) or quantity <= 0:
                return self.failure("food.bad_quantity", quantity=quantity, product=product)
            dish = next((dish for dish in menu if dish["product"] == product), None)
            if dish is None:
                return self.failure("food.no_product", product=product, merchant=merchant_name)
            total += dish["price"] * quantity
            ordered.append(
                {"product": product, "quantity": quantity, "price_per_unit": dish["price"]}
            )
        if self._too_expensive(total, self.users[username]["balance"]):
            return self.failure("food.too_expensive")
        self.users[username]["balance"] -= total
        self.orders.append(
            {
                "user_name": username,
                "merchant_name": merchant_name,
                "items": ordered,
                "total_price": total,
            }
        )
        return self.success("food.ordered", merchant=merchant_name, total=total)

    def _too_expensive(self, total: float, balance: float) -> bool:
        # In Chinese, upstream refuses to spend the last yuan as well.
        return total >= balance if self._say.language == "zh" else total > balance

    def get_products(self, merchant_name: Any) -> Any:
        """Return a merchant's menu."""
        merchant = self.merchant_list.get(merchant_name)
        if merchant:
            return merchant["menu"]
        return self.failure("food.no_merchant", merchant=merchant_name)

    def view_orders(self, user_name: Any) -> Any:
        """Return a user's orders."""
        found = [order for order in self.orders if order["user_name"] == user_name]
        if not found:
            return self.failure("food.no_orders")
        return {"status": True, "orders": found}

    def search_orders(self, keyword: Any) -> Any:
        """Return the orders whose merchant or dishes hold a keyword in any case."""
        found = [
            order
            for order in self.orders
            if keyword.lower() in order["merchant_name"].lower()
            or any(keyword.lower() in self._searched(item).lower() for item in order["items"])
        ]
        if not found:
            return self.failure("food.no_matching_orders")
        return {"status": True, "orders": found}

    def _searched(self, item: dict[str, Any]) -> Any:
        # In Chinese, upstream searches the item and not its name, so that it raises.
        return item if self._say.language == "zh" else item["product"]
