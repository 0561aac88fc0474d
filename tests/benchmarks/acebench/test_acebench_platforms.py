"""The platforms keep upstream's rules, in both languages."""

from typing import Any

from acebench_worlds import say

from envscaler_eval.benchmarks.acebench.worlds import AceWorld
from envscaler_eval.world import World


def test_a_world_keeps_the_contract(world: Any) -> None:
    made: World = world("multi_step_1")
    assert [tool.name for tool in made.tools][:2] == ["turn_on_wifi", "login_device"]
    order = next(tool for tool in made.tools if tool.name == "add_food_delivery_order")
    items = order.parameters["properties"]["items"]
    assert (order.parameters["type"], items["type"], items["items"]["type"]) == (
        "object",
        "array",
        "object",
    )
    assert items["items"]["properties"]["quantity"]["type"] == "integer"
    assert made.call("turn_on_wifi", {}).startswith("[{'status': True")
    assert made.call("_say", {}) == made.call("__init__", {}) == "['No matching function found']"
    assert made.call("saved", {}) == "['No matching function found']"


def test_no_argument_is_required_that_is_not_described(world: Any) -> None:
    reserve = world("multi_turn_1").tools[1]
    assert reserve.parameters["required"] == ["user_id"]


def test_a_listed_tool_may_be_missing_and_an_unlisted_one_there(world: Any) -> None:
    english, chinese = world("multi_step_1"), world("multi_step_1", "zh")
    search = {"keyword": "nothing"}
    assert english.call("search_reminders", search) == "['No matching function found']"
    assert "status" in chinese.call("search_reminders", search)
    assert english.call("view_all_reminders", {}).startswith("[{'status': True")


def test_switches_are_turned_on_every_platform(world: Any) -> None:
    made = world("multi_step_0")
    assert made.state()["BaseApi"] == {"wifi": False, "logged_in": False}
    assert say(made, "delete_message", message_id=1).startswith("Device not logged in")
    assert len(made.invoke("login_device", {})) == len(made.invoke("turn_on_wifi", {})) == 2
    assert made.state()["BaseApi"] == {"wifi": True, "logged_in": True}
    assert say(made, "delete_message", message_id=1) == (
        "Message ID 1 has been successfully deleted."
    )


def test_messages_need_login_then_wifi_then_room_then_known_users(world: Any) -> None:
    made = world("multi_step_0")
    message = {"sender_name": "Ada", "receiver_name": "Nobody", "message": "Hi"}
    assert say(made, "send_message", **message).startswith("Device not logged in")
    made.invoke("login_device", {})
    assert say(made, "send_message", **message).startswith("Wi-Fi is turned off")
    made.invoke("turn_on_wifi", {})
    assert say(made, "send_message", **message).startswith("Inbox capacity is full")
    assert say(made, "delete_message", message_id="2") == "Message ID does not exist"
    made.invoke("delete_message", {"message_id": 2})
    assert say(made, "send_message", **message) == "Sender or receiver does not exist"
    message["receiver_name"] = "Ada"
    assert say(made, "send_message", **message) == "Message successfully sent to Ada."
    assert made.state()["MessageApi"]["inbox"]["3"] == {
        "sender_id": "P1",
        "receiver_id": "P1",
        "message": "Hi",
    }


def test_times_are_known_until_a_message_is_sent(world: Any) -> None:
    made = world("multi_step_0")
    made.invoke("login_device", {})
    made.invoke("turn_on_wifi", {})
    assert made.invoke("get_latest_message_id", {})[0]["message_id"] == 1
    assert made.invoke("get_earliest_message_id", {})[0]["message_id"] == 2
    made.invoke("delete_message", {"message_id": 1})
    made.invoke("send_message", {"sender_name": "Ada", "receiver_name": "Ben", "message": "x"})
    for tool in ("latest_message_id", "earliest_message_id", "all_message_times_with_ids"):
        assert made.call(f"get_{tool}", {}) == str(["Error during execution: 'time'"])
    made.invoke("delete_message", {"message_id": 2})
    made.invoke("delete_message", {"message_id": 3})
    assert say(made, "get_latest_message_id") == "No message records found"


def test_messages_are_found_by_party_and_keyword(world: Any) -> None:
    made = world("multi_step_0", "zh")
    assert say(made, "search_messages", user_name="Ada", keyword="KITE")["messages"][1]["id"] == 2
    assert say(made, "search_messages", user_name="Ada", keyword="boat") == (
        "\u6ca1\u6709\u627e\u5230\u5305\u542b\u5173\u952e\u8bcd\u7684\u77ed\u4fe1"
    )
    made.invoke("login_device", {})
    between = {"sender_name": "Ben", "receiver_name": "Ada"}
    assert say(made, "view_messages_between_users", **between)["messages"] == [
        {"id": 2, "sender": "Ben", "receiver": "Ada", "message": "The kite is torn."}
    ]


def test_reminders_are_added_until_the_list_is_full(world: Any) -> None:
    made = world("multi_step_1")
    reminder = {"title": "Fern", "description": "Again", "time": "2030-02-05 08:00"}
    assert say(made, "add_reminder", **reminder) == "Reminder 'Fern' was successfully added."
    assert say(made, "add_reminder", **reminder).startswith("Reminder capacity is full")
    assert say(made, "view_reminder_by_title", title="Fern")["reminder"]["reminder_id"] == 2
    assert say(made, "delete_reminder", reminder_id=901) == "Reminder ID does not exist."
    assert say(made, "delete_reminder", reminder_id=1) == (
        "Reminder ID 1 was successfully deleted."
    )
    assert [r["title"] for r in say(made, "view_all_reminders")["reminders"]] == ["Fern"]


def test_a_stored_argument_is_no_longer_the_callers(world: Any) -> None:
    made = world("multi_step_1")
    title = ["Fern"]
    made.invoke("add_reminder", {"title": title, "description": "", "time": ""})
    title.append("changed later")
    assert made.state()["ReminderApi"]["reminder_list"]["2"]["title"] == ["Fern"]


def test_chinese_reminders_can_be_marked_but_finding_them_fails(world: Any) -> None:
    made = world("multi_step_1", "zh")
    made.invoke("mark_as_notified", {"reminder_id": 1})
    assert made.state()["ReminderApi"]["reminder_list"]["1"]["notified"] is True
    assert made.call("search_reminders", {"keyword": "FERN"}) == str(
        ["Error during execution: 'str' object has no attribute 'strftime'"]
    )


SHOP, CHINESE_SHOP = "Owl's Bakery", "\u732b\u5934\u9e70\u9762\u5305\u623f"


def order(made: AceWorld, *items: Any, user: str = "Ada", shop: str = SHOP) -> Any:
    return say(
        made, "add_food_delivery_order", username=user, merchant_name=shop, items=list(items)
    )


def test_orders_are_checked_item_by_item_then_paid(world: Any) -> None:
    made = world("multi_step_1")
    loaf = {"product": "Rye Loaf", "quantity": 2}
    assert order(made, loaf) == "User Ada is not logged in to the food platform"
    made.invoke("login_food_platform", {"username": "Ada", "password": "kite"})
    assert order(made, {"product": "Rye Loaf", "quantity": 0}).startswith("Invalid quantity 0")
    assert order(made, {"product": "Pie", "quantity": "2"}).startswith("Invalid quantity 2 for")
    assert order(made, loaf, {"product": "Pie"}).startswith("Product Pie does not exist in Owl's")
    assert order(made, {"product": "Plum Cake", "quantity": 5}).startswith("Insufficient balance")
    assert order(made, {"product": "Rye Loaf", "quantity": True}, loaf).endswith("12.0 yuan")
    food = made.state()["FoodPlatform"]
    assert food["users"]["Ada"]["balance"] == 8.0
    assert [item["quantity"] for item in food["orders"][0]["items"]] == [True, 2]
    assert say(made, "check_balance", user_name="Nobody") == 0.0


def test_only_english_users_may_spend_their_last_yuan(world: Any) -> None:
    for language, shop, dish, left in (
        ("en", SHOP, "Plum Cake", 0.0),
        ("zh", CHINESE_SHOP, "\u674e\u5b50\u86cb\u7cd5", 5.0),
    ):
        made = world("multi_step_1", language)
        made.invoke("login_food_platform", {"username": "Ben", "password": "fern"})
        order(made, {"product": dish}, user="Ben", shop=shop)
        assert made.state()["FoodPlatform"]["users"]["Ben"]["balance"] == left


def test_searching_orders_fails_in_chinese_where_the_merchant_does_not_match(world: Any) -> None:
    for language, shop, dish, shown in (
        ("en", SHOP, "Rye Loaf", "[{'status': True, 'orders': [{'user_name': 'Ada'"),
        (
            "zh",
            CHINESE_SHOP,
            "\u9ed1\u9ea6\u9762\u5305",
            "[\"Error during execution: 'dict'",
        ),
    ):
        made = world("multi_step_1", language)
        made.invoke("login_food_platform", {"username": "Ada", "password": "kite"})
        order(made, {"product": dish}, shop=shop)
        assert made.call("search_orders", {"keyword": dish}).startswith(shown)


def test_logging_in_to_food_is_refused_for_each_reason(world: Any) -> None:
    made = world("multi_step_1")
    ada = {"username": "Ada", "password": "kite"}
    assert say(made, "login_food_platform", username="Eve", password="") == "User does not exist"
    assert say(made, "login_food_platform", username="Ada", password="") == "Incorrect password"
    assert say(made, "login_food_platform", **ada) == "User Ada has successfully logged in!"
    assert say(made, "login_food_platform", **ada) == "Ada is already logged in"
