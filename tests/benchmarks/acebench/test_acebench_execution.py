"""Messages are executed with the official loops' quirks."""

from typing import Any

import pytest

from envscaler_eval.benchmarks.acebench.conformance import replay_task
from envscaler_eval.benchmarks.acebench.execution import NO_QUESTIONS, is_for_execution

UNSET = (
    "Error during execution: cannot access local variable 'func_call_result' where it is not "
    "associated with a value"
)
LETTERS = list("Error during execution: {str(e)}")
WIFI = {"status": True, "message": "Wi-Fi has been turned on"}


@pytest.fixture
def observe(miniature: Any) -> Any:
    """Return a function that plays messages and returns their observations."""

    def play(task_id: str, *messages: str) -> list[Any]:
        dataset = miniature("en")
        replayed = replay_task(dataset, dataset.task(f"agent_{task_id}"), messages)
        return [step.get("observation") for step in replayed["steps"]]

    return play


def test_an_unknown_tool_repeats_the_result_before_it(observe: Any) -> None:
    assert observe("multi_step_0", "[nothing(), turn_on_wifi(), nothing(x=1)]", "[nothing()]") == [
        [UNSET, WIFI, WIFI],
        [UNSET],
    ]


def test_a_multi_step_error_spares_the_other_calls(observe: Any) -> None:
    assert observe("multi_step_0", "[login_device(bad=1), turn_on_wifi()]") == [
        [
            "Error during execution: BaseApi.login_device() got an unexpected keyword argument "
            "'bad'",
            WIFI,
        ]
    ]


def test_a_multi_turn_error_ends_the_message_and_shows_letters(observe: Any) -> None:
    observed = observe(
        "multi_turn_0",
        "[login_device(), delete_message(message_id=2), turn_on_wifi(x=1), turn_on_wifi()]",
        "[delete_message(message_id=2), delete_message(message_id=1)]",
    )
    assert observed[0] == LETTERS
    assert [result["status"] for result in observed[1]] == [False, True]


def test_a_multi_step_message_without_calls_is_answered(observe: Any) -> None:
    assert observe("multi_step_0", "Which?", "[hello]", "") == [NO_QUESTIONS, [], NO_QUESTIONS]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("MessageApi.turn_on_wifi()", "name 'MessageApi' is not defined"),
        ("turn_on_wifi(x=g(y=1))", "name 'g' is not defined"),
        ("turn_on_wifi(x=1e999)", "name 'inf' is not defined"),
        ("turn_on_wifi(x=[1e999])", "name 'inf' is not defined"),
        ("turn_on_wifi(self=1)", "BaseApi.turn_on_wifi() got multiple values for argument 'self'"),
        ("turn_on_wifi(**x)", "cannot assign to None (<string>, line 1)"),
        ("turn_on_wifi(x={1: {'a': 2}})", "'int' object is not callable"),
        (
            "send_message(message='x')",
            "MessageApi.send_message() missing 2 required positional arguments: 'sender_name' "
            "and 'receiver_name'",
        ),
        (
            "send_message()",
            "MessageApi.send_message() missing 3 required positional arguments: 'sender_name', "
            "'receiver_name', and 'message'",
        ),
    ],
)
def test_errors_read_as_upstream_words_them(call: str, error: str, observe: Any) -> None:
    assert observe("multi_step_0", f"[{call}]") == [[f"Error during execution: {error}"]]


def test_dict_calls_make_dicts(observe: Any) -> None:
    observed = observe(
        "multi_turn_1",
        "[update_balance(user=dict(cash_balance=5), payment_method='cash', amount=1)]",
    )
    assert observed == [["True"]]


def test_results_are_shown_as_they_are_after_the_whole_message(observe: Any) -> None:
    ada, ben = (
        f"login_food_platform(username='{name}', password='{word}')"
        for name, word in (("Ada", "kite"), ("Ben", "fern"))
    )
    observed = observe("multi_step_1", f"[{ada}, view_logged_in_users(), {ben}]")
    assert observed[0][1]["logged_in_users"] == ["Ada", "Ben"]


def test_lists_are_shown_as_texts_and_numbers_as_numbers(observe: Any) -> None:
    observed = observe(
        "multi_step_1",
        "[get_products(merchant_name=\"Owl's Bakery\"), check_balance(user_name='Ada')]",
        "[get_all_message_times_with_ids()]",
    )
    assert observed == [
        ["[{'product': 'Rye Loaf', 'price': 4.0}, {'product': 'Plum Cake', 'price': 5.0}]", 20.0],
        [{"1": "2030-02-03", "2": "2030-01-05"}],
    ]


def test_huge_numbers_are_errors_and_not_crashes(observe: Any) -> None:
    fee = (
        "calculate_baggage_fee(membership_level='gold', cabin_class='Economy Class', baggage_count"
    )
    assert observe("multi_turn_1", f"[{fee}=10 ** 4299)]")[0][0].startswith("Error during exec")


@pytest.mark.parametrize(
    ("message", "executed"),
    [
        ("[turn_on_wifi()]", True),
        (" [turn_on_wifi()]", True),
        ("[hello]", True),
        ("turn_on_wifi()", False),
        ("finish conversation", False),
        ("[turn_on_wifi()]\n", False),
        ("Sure. [turn_on_wifi()]", False),
        ("[turn_on_wifi(), 5]", False),
        ("[turn_on_wifi(),\nlogin_device()]", False),
    ],
)
def test_multi_turn_messages_are_routed(message: str, executed: bool) -> None:
    assert is_for_execution(message) is executed


def test_no_result_is_kept_if_nothing_ran(miniature: Any) -> None:
    dataset = miniature("en")
    step, turn = dataset.task("agent_multi_step_0"), dataset.task("agent_multi_turn_0")
    assert replay_task(dataset, step, ["No."])["result"] == []
    assert replay_task(dataset, step, ["No.", "[hello]"])["result"] != []
    assert replay_task(dataset, turn, ["No.", "[turn_on_wifi(x=1)]"])["result"] == []
    assert replay_task(dataset, turn, ["[turn_on_wifi(x=1)]", "[hello]"])["result"] != []


def test_a_replay_has_the_fields_of_a_vector(miniature: Any) -> None:
    dataset = miniature("en")
    replayed = replay_task(dataset, dataset.task("agent_multi_turn_0"), ["Hm.", "[turn_on_wifi()]"])
    assert replayed["steps"][0] == {"message": "Hm.", "to": "user"}
    assert replayed["steps"][1]["observation_text"] == str(replayed["steps"][1]["observation"])
    assert replayed["process"] == ["[turn_on_wifi()]"]
    assert replayed["messages"] == ["Hm.", "[turn_on_wifi()]"]
    assert (replayed["kind"], replayed["task_id"]) == ("multi_turn", "agent_multi_turn_0")
    assert (replayed["official_end_ok"], replayed["official_process"]) == (False, 0.0)
