"""What holds for worlds of both domains."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_eval.benchmarks.tau_bench import Domain, TauWorld
from envscaler_eval.benchmarks.tau_bench.canonical import canonical, state_hash
from envscaler_eval.benchmarks.tau_bench.dataset import DOMAINS
from envscaler_eval.benchmarks.tau_bench.tool import parameters
from envscaler_eval.world import World

ITEMS = st.sampled_from([["11"], ["21"], ["11", "11"], ["11", "21"], ["12"], ["12", "22"], []])
FLIGHTS = st.fixed_dictionaries(
    {
        "flight_number": st.sampled_from(["X1", "X2", "X3"]),
        "date": st.sampled_from(["2024-05-09", "2024-05-10"]),
    }
)
PAYMENTS = st.fixed_dictionaries(
    {
        "payment_id": st.sampled_from(["gift_card_3", "credit_card_3", "certificate_3"]),
        "amount": st.sampled_from([0, 40, 44, 50, 54, 60, 94]),
    }
)
PASSENGERS = st.fixed_dictionaries({"first_name": st.text(max_size=3)})
METHODS = "gift_card_1 gift_card_2 paypal_1 paypal_2 credit_card_1"
# Values that fit a parameter, and may go together.
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "order_id": st.sampled_from([f"#W{number}" for number in range(1, 8)]),
    "user_id": st.sampled_from(["ada_1", "bob_2", "cy_3", "di_4"]),
    "reason": st.sampled_from(["no longer needed", "ordered by mistake"]),
    "item_ids": ITEMS,
    "new_item_ids": ITEMS,
    "payment_method_id": st.sampled_from(METHODS.split()),
    "product_id": st.sampled_from(["1", "2"]),
    "reservation_id": st.sampled_from(["R1", "R0", "HATHAT", "HATHAU"]),
    "payment_id": st.sampled_from(["gift_card_3", "credit_card_3", "certificate_3"]),
    "cabin": st.sampled_from(["economy", "business"]),
    "flights": st.lists(FLIGHTS, max_size=2),
    "passengers": st.lists(PASSENGERS, max_size=2),
    "payment_methods": st.lists(PAYMENTS, max_size=2),
    "total_baggages": st.integers(0, 3),
    "nonfree_baggages": st.integers(0, 1),
    "amount": st.integers(0, 90),
    "origin": st.sampled_from(["AAA", "BBB"]),
    "destination": st.sampled_from(["BBB", "CCC"]),
    "date": st.sampled_from(["2024-05-09", "2024-05-10"]),
}
WRITING_ENDS = ("order", "address", "items", "payment", "ation", "certificate", "flights", "ages")
SCALARS = st.none() | st.booleans() | st.integers(-3, 99) | st.floats() | st.text(max_size=5)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner)
)


@st.composite
def calls(draw: st.DrawFn, domain: str) -> list[tuple[str, dict[str, Any]]]:
    """Draw calls that often fit the tools and sometimes do not fit at all."""
    _, functions = DOMAINS[domain]
    # Tools that change something, several times each.
    writing = [name for name in functions if name.endswith(WRITING_ENDS)]
    drawn = []
    for _ in range(draw(st.integers(3, 10))):
        name = draw(st.sampled_from([*functions, *writing * 3]))
        arguments = {
            parameter: draw(FITTING.get(parameter, SCALARS))
            for parameter in parameters(functions[name])
        }
        if draw(st.integers(0, 3)) == 0:
            odd = st.sampled_from([*arguments, "data", "x"])
            arguments |= draw(st.dictionaries(odd, ANYTHING, max_size=2))
        if arguments and draw(st.integers(0, 7)) == 0:
            arguments.pop(draw(st.sampled_from(sorted(arguments))))
        drawn.append((name, arguments))
    return drawn


@pytest.mark.parametrize("name", DOMAINS)
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_calls_never_raise_never_touch_the_base_and_hash_as_from_scratch(
    name: str, data: st.DataObject, retail: Domain, airline: Domain
) -> None:
    domain = {"retail": retail, "airline": airline}[name]
    before = canonical(domain.tables)
    world = TauWorld(domain)
    for tool, arguments in data.draw(calls(name)):
        given_arguments = json.dumps(arguments)
        assert isinstance(world.call(tool, arguments), str)
        assert json.dumps(arguments) == given_arguments
    assert canonical(domain.tables) == before
    assert world.data_hash() == state_hash(world.state())


def test_worlds_are_worlds(retail: Domain) -> None:
    world: World = TauWorld(retail)
    assert [tool.name for tool in world.tools] == list(retail.functions)
    assert world.tools[1].parameters["required"] == ["order_id", "reason"]


@pytest.mark.parametrize("name", ["fly_away", "respond", "", "__init__", "call"])
def test_undeclared_names_are_unknown_actions(name: str, shop: TauWorld) -> None:
    assert shop.call(name, {}) == f"Unknown action {name}"


@pytest.mark.parametrize(
    ("tool", "arguments", "fault"),
    [
        (
            "think",
            {},
            "Think.invoke() missing 1 required positional argument: 'thought'",
        ),
        (
            "cancel_pending_order",
            {},
            "CancelPendingOrder.invoke() missing 2 required positional arguments: "
            "'order_id' and 'reason'",
        ),
        (
            "find_user_id_by_name_zip",
            {},
            "FindUserIdByNameZip.invoke() missing 3 required positional arguments: "
            "'first_name', 'last_name', and 'zip'",
        ),
        (
            "list_all_product_types",
            {"x": 1, "y": 2},
            "ListAllProductTypes.invoke() got an unexpected keyword argument 'x'",
        ),
        (
            "think",
            {"x": 1},
            "Think.invoke() got an unexpected keyword argument 'x'",
        ),
        (
            "think",
            {"x": 1, "data": {}},
            "tau_bench.envs.retail.tools.think.Think.invoke() "
            "got multiple values for keyword argument 'data'",
        ),
        ("get_order_details", {"order_id": ["#W1"]}, "unhashable type: 'list'"),
        ("find_user_id_by_email", {"email": None}, "'NoneType' object has no attribute 'lower'"),
    ],
)
def test_wrong_arguments_are_pythons_complaints(
    tool: str, arguments: dict[str, Any], fault: str, shop: TauWorld
) -> None:
    assert shop.call(tool, arguments) == f"Error: {fault}"


def test_arguments_that_are_no_object_are_an_observation(shop: TauWorld) -> None:
    assert shop.call("think", None).startswith("Error: ")  # type: ignore[arg-type]
    assert shop.call(["think"], {}).startswith("Unknown action")  # type: ignore[arg-type]


def test_arguments_nested_too_deep_are_an_observation(shop: TauWorld) -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    fault = "Error: maximum recursion depth exceeded"
    assert shop.call("think", {"thought": value}) == fault


def test_worlds_do_not_see_each_other(retail: Domain) -> None:
    one, other = TauWorld(retail), TauWorld(retail)
    arguments = {"order_id": "#W1", "reason": "no longer needed"}
    one.call("cancel_pending_order", arguments)
    assert "cancelled" in one.call("get_order_details", {"order_id": "#W1"})
    assert "cancelled" not in other.call("get_order_details", {"order_id": "#W1"})
    assert one.data_hash() != other.data_hash()


def test_the_state_is_a_copy(shop: TauWorld) -> None:
    untouched = shop.data_hash()
    shop.state()["orders"]["#W1"]["items"].clear()
    assert shop.data_hash() == untouched


def test_only_written_records_are_changes(shop: TauWorld) -> None:
    shop.call("get_order_details", {"order_id": "#W1"})
    shop.call("cancel_pending_order", {"order_id": "#W1", "reason": "bored"})
    assert shop.changes() == {}
    shop.call("cancel_pending_order", {"order_id": "#W3", "reason": "no longer needed"})
    assert set(shop.changes()) == {("orders", "#W3"), ("users", "bob_2")}
