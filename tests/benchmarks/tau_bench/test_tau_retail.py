"""The retail tools, on the miniature shop."""

import json
from typing import Any

import pytest

from envscaler_eval.benchmarks.tau_bench import TauWorld

ADDRESS = {
    "address1": "9 Hill",
    "address2": "",
    "city": "X",
    "state": "CA",
    "country": "USA",
    "zip": "90001",
}


def order(world: TauWorld, order_id: str) -> dict[str, Any]:
    found: dict[str, Any] = world.state()["orders"][order_id]
    return found


def balance(world: TauWorld, user_id: str, card: str) -> Any:
    return world.state()["users"][user_id]["payment_methods"][card]["balance"]


def swap(world: TauWorld, tool: str, order_id: str, old: Any, new: Any, method: str) -> str:
    arguments = {
        "order_id": order_id,
        "item_ids": old,
        "new_item_ids": new,
        "payment_method_id": method,
    }
    return world.call(tool, arguments)


def modify(world: TauWorld, order_id: str, old: Any, new: Any, method: str) -> str:
    return swap(world, "modify_pending_order_items", order_id, old, new, method)


def exchange(world: TauWorld, order_id: str, old: Any, new: Any, method: str) -> str:
    return swap(world, "exchange_delivered_order_items", order_id, old, new, method)


def hand_back(world: TauWorld, order_id: str, items: Any, method: str) -> str:
    return world.call(
        "return_delivered_order_items",
        {"order_id": order_id, "item_ids": items, "payment_method_id": method},
    )


def pay_by(world: TauWorld, order_id: str, method: str) -> str:
    return world.call(
        "modify_pending_order_payment", {"order_id": order_id, "payment_method_id": method}
    )


def cancel(world: TauWorld, order_id: str, reason: str = "no longer needed") -> str:
    return world.call("cancel_pending_order", {"order_id": order_id, "reason": reason})


class TestLookups:
    def test_email_ignores_case(self, shop: TauWorld) -> None:
        assert shop.call("find_user_id_by_email", {"email": "aDA@EXAMPLE.com"}) == "ada_1"
        assert shop.call("find_user_id_by_email", {"email": "x"}) == "Error: user not found"

    def test_names_ignore_case_and_zip_is_a_string(self, shop: TauWorld) -> None:
        name = {"first_name": "ADA", "last_name": "lind"}
        assert shop.call("find_user_id_by_name_zip", {**name, "zip": "97000"}) == "ada_1"
        numeric = shop.call("find_user_id_by_name_zip", {**name, "zip": 97000})
        assert numeric == "Error: user not found"

    def test_a_moved_user_is_found_by_the_new_zip(self, shop: TauWorld) -> None:
        shop.call("modify_user_address", {"user_id": "ada_1", **ADDRESS})
        name = {"first_name": "Ada", "last_name": "Lind"}
        assert shop.call("find_user_id_by_name_zip", {**name, "zip": "90001"}) == "ada_1"
        assert shop.call("find_user_id_by_name_zip", {**name, "zip": "97000"}).startswith("Error")

    def test_records_are_json_in_file_order_with_ascii_escapes(self, shop: TauWorld) -> None:
        user = shop.call("get_user_details", {"user_id": "bob_2"})
        assert user.startswith('{"name": {"first_name": "Bob", "last_name": "\\u00d8rsted"}, ')

    @pytest.mark.parametrize("kind", ["order", "product", "user"])
    def test_unknown_records(self, kind: str, shop: TauWorld) -> None:
        observation = shop.call(f"get_{kind}_details", {f"{kind}_id": "W1"})
        assert observation == f"Error: {kind} not found"

    def test_product_types_are_sorted_by_name(self, shop: TauWorld) -> None:
        assert shop.call("list_all_product_types", {}) == '{"Kite": "1", "Lamp": "2"}'


class TestCancel:
    def test_notes_a_refund(self, shop: TauWorld) -> None:
        after = json.loads(cancel(shop, "#W1"))
        assert after["status"] == "cancelled"
        assert after["cancel_reason"] == "no longer needed"
        assert [entry["transaction_type"] for entry in after["payment_history"]] == [
            "payment",
            "refund",
        ]

    def test_credits_a_gift_card_at_once_to_the_cent(self, shop: TauWorld) -> None:
        cancel(shop, "#W3", "ordered by mistake")
        assert repr(balance(shop, "bob_2", "gift_card_2")) == "13.1"

    def test_refunds_earlier_refunds_too(self, shop: TauWorld) -> None:
        pay_by(shop, "#W3", "paypal_2")
        history = json.loads(cancel(shop, "#W3"))["payment_history"]
        assert [entry["payment_method_id"] for entry in history[3:]] == [
            "gift_card_2",
            "paypal_2",
            "gift_card_2",
        ]
        # Paid 10.1, refunded by the change, and twice more by the cancellation.
        assert balance(shop, "bob_2", "gift_card_2") == pytest.approx(3 + 3 * 10.1)

    def test_a_missing_gift_card_is_named(self, shop: TauWorld) -> None:
        assert cancel(shop, "#W7") == "Error: 'gift_card_lost'"
        assert order(shop, "#W7")["status"] == "pending"

    def test_checks_come_in_order(self, shop: TauWorld) -> None:
        assert cancel(shop, "W1", "x") == "Error: order not found"
        assert cancel(shop, "#W5", "x") == "Error: non-pending order cannot be cancelled"
        assert cancel(shop, "#W1", "x") == "Error: invalid reason"


class TestAddress:
    def test_replaces_the_address_of_a_pending_order(self, shop: TauWorld) -> None:
        arguments = {"order_id": "#W1", **ADDRESS}
        after = json.loads(shop.call("modify_pending_order_address", arguments))
        assert after["address"] == ADDRESS
        assert list(after["address"]) == [
            "address1",
            "address2",
            "city",
            "state",
            "country",
            "zip",
        ]

    def test_values_are_stored_as_they_come(self, shop: TauWorld) -> None:
        shop.call("modify_user_address", {"user_id": "ada_1", **ADDRESS, "zip": 90001})
        assert shop.state()["users"]["ada_1"]["address"]["zip"] == 90001

    def test_refusals(self, shop: TauWorld) -> None:
        closed = shop.call("modify_pending_order_address", {"order_id": "#W2", **ADDRESS})
        unknown = shop.call("modify_pending_order_address", {"order_id": "?", **ADDRESS})
        nobody = shop.call("modify_user_address", {"user_id": "?", **ADDRESS})
        assert closed == "Error: non-pending order cannot be modified"
        assert unknown == "Error: order not found"
        assert nobody == "Error: user not found"


class TestPayment:
    def test_the_new_method_pays_and_the_old_one_is_refunded(self, shop: TauWorld) -> None:
        after = json.loads(pay_by(shop, "#W1", "gift_card_1"))
        kinds = [
            (entry["transaction_type"], entry["payment_method_id"])
            for entry in after["payment_history"]
        ]
        assert kinds[1:] == [("payment", "gift_card_1"), ("refund", "credit_card_1")]
        assert after["status"] == "pending"
        assert balance(shop, "ada_1", "gift_card_1") == 9.9

    def test_an_old_gift_card_is_credited(self, shop: TauWorld) -> None:
        pay_by(shop, "#W3", "paypal_2")
        assert balance(shop, "bob_2", "gift_card_2") == 13.1

    def test_checks_come_in_order(self, shop: TauWorld) -> None:
        assert pay_by(shop, "?", "?") == "Error: order not found"
        assert pay_by(shop, "#W2", "?") == "Error: non-pending order cannot be modified"
        assert pay_by(shop, "#W1", "paypal_2") == "Error: payment method not found"
        same = "Error: the new payment method should be different from the current one"
        assert pay_by(shop, "#W1", "credit_card_1") == same
        pay_by(shop, "#W1", "paypal_1")
        twice = "Error: there should be exactly one payment for a pending order"
        assert pay_by(shop, "#W1", "credit_card_1") == twice

    def test_a_gift_card_must_cover_the_order(self, shop: TauWorld) -> None:
        pay_by(shop, "#W1", "gift_card_1")
        short = "Error: insufficient gift card balance to pay for the order"
        assert pay_by(shop, "#W4", "gift_card_1") == short


class TestModifyItems:
    def test_the_difference_is_not_rounded(self, shop: TauWorld) -> None:
        after = json.loads(modify(shop, "#W1", ["11", "21"], ["12", "22"], "paypal_1"))
        assert after["payment_history"][-1] == {
            "transaction_type": "payment",
            "amount": (12.4 - 10.1) + (34.5 - 30.0),
            "payment_method_id": "paypal_1",
        }
        assert after["status"] == "pending (item modified)"
        assert [item["item_id"] for item in after["items"]] == ["12", "22"]
        assert after["items"][0]["options"] == {"color": "blue"}

    def test_a_cheaper_item_is_refunded_to_a_gift_card(self, shop: TauWorld) -> None:
        after = json.loads(modify(shop, "#W1", ["11"], ["13"], "gift_card_1"))
        assert after["payment_history"][-1]["transaction_type"] == "refund"
        assert balance(shop, "ada_1", "gift_card_1") == 50.2

    def test_replacements_happen_one_after_the_other(self, shop: TauWorld) -> None:
        after = json.loads(modify(shop, "#W4", ["11", "11"], ["12", "13"], "paypal_1"))
        assert [item["item_id"] for item in after["items"]] == ["12", "13"]

    def test_no_items_are_a_modification_with_an_integer_amount(self, shop: TauWorld) -> None:
        after = modify(shop, "#W1", [], [], "paypal_1")
        assert '"refund", "amount": 0, ' in after
        assert order(shop, "#W1")["status"] == "pending (item modified)"

    def test_it_can_happen_once(self, shop: TauWorld) -> None:
        modify(shop, "#W1", [], [], "paypal_1")
        closed = "Error: non-pending order cannot be modified"
        assert modify(shop, "#W1", [], [], "paypal_1") == closed
        assert cancel(shop, "#W1") == "Error: non-pending order cannot be cancelled"

    def test_checks_come_in_order(self, shop: TauWorld) -> None:
        assert modify(shop, "?", ["9"], [], "?") == "Error: order not found"
        assert modify(shop, "#W2", ["9"], [], "?").startswith("Error: non-pending order")
        assert modify(shop, "#W1", ["11", "11"], [], "?") == "Error: 11 not found"
        lengths = "Error: the number of items to be exchanged should match"
        assert modify(shop, "#W1", ["11"], [], "?") == lengths
        assert modify(shop, "#W1", ["11"], ["14"], "?").startswith("Error: new item 14 not found")
        assert modify(shop, "#W1", ["11"], ["22"], "?").startswith("Error: new item 22 not found")
        assert modify(shop, "#W1", ["11"], ["12"], "?") == "Error: payment method not found"
        short = "Error: insufficient gift card balance to pay for the new item"
        assert modify(shop, "#W7", ["21"], ["22"], "gift_card_2") == short

    def test_a_text_is_read_letter_by_letter(self, shop: TauWorld) -> None:
        assert modify(shop, "#W1", "11", ["12", "12"], "paypal_1") == "Error: 1 not found"

    def test_null_is_no_item(self, shop: TauWorld) -> None:
        assert modify(shop, "#W1", [None], ["12"], "paypal_1") == "Error: None not found"
        assert exchange(shop, "#W2", [None], ["12"], "paypal_1") == "Error: None not found"
        assert hand_back(shop, "#W2", [None], "gift_card_1") == "Error: some item not found"


class TestExchange:
    def test_notes_the_request_with_sorted_items(self, shop: TauWorld) -> None:
        after = json.loads(exchange(shop, "#W2", ["21", "11"], ["22", "12"], "credit_card_1"))
        assert after["status"] == "exchange requested"
        assert after["exchange_items"] == ["11", "21"]
        assert after["exchange_new_items"] == ["12", "22"]
        assert after["exchange_price_difference"] == 6.8
        assert [item["item_id"] for item in after["items"]] == ["11", "21"]

    def test_a_gift_card_must_cover_the_difference_but_is_not_charged(self, shop: TauWorld) -> None:
        short = "Error: insufficient gift card balance to pay for the price difference"
        assert exchange(shop, "#W6", ["21"], ["22"], "gift_card_2") == short
        exchange(shop, "#W2", ["21"], ["22"], "gift_card_1")
        assert balance(shop, "ada_1", "gift_card_1") == 50

    def test_checks_come_in_order(self, shop: TauWorld) -> None:
        assert exchange(shop, "?", [], [], "?") == "Error: order not found"
        closed = "Error: non-delivered order cannot be exchanged"
        assert exchange(shop, "#W1", [], [], "?") == closed
        assert exchange(shop, "#W2", ["12"], [], "?") == "Error: 12 not found"
        assert exchange(shop, "#W2", [], [], "?") == "Error: payment method not found"


class TestReturn:
    def test_notes_the_request(self, shop: TauWorld) -> None:
        after = json.loads(hand_back(shop, "#W2", ["21", "11"], "gift_card_1"))
        assert after["status"] == "return requested"
        assert after["return_items"] == ["11", "21"]
        assert after["return_payment_method_id"] == "gift_card_1"

    def test_checks_come_in_order(self, shop: TauWorld) -> None:
        assert hand_back(shop, "?", ["9"], "?") == "Error: order not found"
        closed = "Error: non-delivered order cannot be returned"
        assert hand_back(shop, "#W1", ["9"], "?") == closed
        assert hand_back(shop, "#W2", ["9"], "?") == "Error: payment method not found"
        other = "Error: payment method should be either the original payment method or a gift card"
        assert hand_back(shop, "#W2", ["9"], "paypal_1") == other
        assert hand_back(shop, "#W2", ["9"], "credit_card_1") == "Error: some item not found"
        assert not hand_back(shop, "#W2", [], "credit_card_1").startswith("Error")


def test_tools_without_effect(shop: TauWorld) -> None:
    assert shop.call("think", {"thought": "hm"}) == ""
    assert shop.call("transfer_to_human_agents", {"summary": "hm"}) == "Transfer successful"
    assert shop.changes() == {}
