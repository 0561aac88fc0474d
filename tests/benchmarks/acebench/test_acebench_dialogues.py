"""The loops ask the right party, show it the right text and end when upstream's do."""

from typing import Any

import pytest

from envscaler_eval.benchmarks.acebench.execution import NO_QUESTIONS
from envscaler_eval.benchmarks.acebench.official import MultiStepDialogue, MultiTurnDialogue
from envscaler_eval.benchmarks.acebench.paper import PaperDialogue, as_milestone
from envscaler_eval.benchmarks.acebench.prompts import policy_without_call_format
from envscaler_eval.scenario import ToolCall

WIFI = "[{'status': True, 'message': 'Wi-Fi has been turned on'}]"


def end_of(dialogue: Any) -> tuple[str | None, str | None]:
    """Return whose turn it is and why it is over."""
    return dialogue.turn, dialogue.ended_by


@pytest.fixture
def step(miniature: Any) -> MultiStepDialogue:
    dataset = miniature("en")
    return MultiStepDialogue(dataset, dataset.task("agent_multi_step_0"))


@pytest.fixture
def turn(miniature: Any) -> MultiTurnDialogue:
    dataset = miniature("en")
    return MultiTurnDialogue(dataset, dataset.task("agent_multi_turn_0"))


def test_a_multi_step_agent_sees_results_but_not_its_calls(step: MultiStepDialogue) -> None:
    step.say("[turn_on_wifi()]")
    step.say("What now?")
    system, user = step.agent_prompt()
    assert (system.role, system.content) == ("system", "You work alone (en).")
    assert user.content.startswith("Tools: [{'name': 'turn_on_wifi', ")
    history = user.content.split("So far: ")[1]
    assert history == (
        "user:I am Ada. Tell Ben it is mended; delete the latest message if there is no room.\n"
        f"execution result:{WIFI}\nexecution result:{NO_QUESTIONS}\n\n"
    )
    assert step.process == ["[turn_on_wifi()]", "What now?"]


def test_a_multi_step_agent_can_be_addressed_in_another_language(miniature: Any) -> None:
    dataset = miniature("en")
    task = dataset.task("agent_multi_step_0")
    dialogue = MultiStepDialogue(dataset, task, miniature("zh").prompts)
    assert dialogue.agent_prompt()[0].content == "You work alone (zh)."


def test_a_multi_step_run_cannot_finish_in_its_first_message(step: MultiStepDialogue) -> None:
    step.say("finish conversation")
    assert step.turn == "agent"
    assert step.process == ["finish conversation"]
    step.say("Well then: finish conversation.")
    assert end_of(step) == (None, "completed")
    assert step.process == ["finish conversation"]
    assert step.result() == []


def test_a_call_in_the_finishing_message_is_lost(step: MultiStepDialogue) -> None:
    step.say("[login_device()]")
    step.say("[turn_on_wifi()] finish conversation")
    assert step.ended_by == "completed"
    assert step.process == ["[login_device()]"]
    assert step.result()[0] == {"BaseApi": {"wifi": False, "logged_in": True}}


def test_a_multi_step_agent_has_twenty_messages(step: MultiStepDialogue) -> None:
    said = 0
    while step.turn is not None:
        step.say("[turn_on_wifi()]")
        said += 1
    assert (said, step.ended_by, len(step.process)) == (20, "step_limit", 20)


def test_a_multi_turn_dialogue_goes_round(turn: MultiTurnDialogue) -> None:
    assert end_of(turn) == ("user", None)
    system, greeting = turn.user_prompt()
    assert system.content == "You phone. You are Ada. You want the kite message deleted."
    assert greeting.content == "Is there anything you need help with today?"
    turn.say("Hello")
    assert end_of(turn) == ("agent", None)
    turn.say("agent: Which message?")
    assert end_of(turn) == ("user", None)
    turn.say("The kite's.")
    turn.say("[turn_on_wifi()]")
    assert end_of(turn) == ("agent", None)
    system, user = turn.agent_prompt()
    assert system.content.startswith("You serve (en).\n\nPhone well.")
    assert user.content.split("So far:\n")[1] == (
        "user:Hello\nagent:agent: Which message?\nuser:The kite's.\nagent:[turn_on_wifi()]\n"
        f"execution:{WIFI}\n"
    )
    assert [(message.role, message.content) for message in turn.user_prompt()[2:]] == [
        ("system", "Hello"),
        ("user", " Which message?"),
        ("system", "The kite's."),
    ]


def test_a_user_cannot_finish_at_once_but_later(turn: MultiTurnDialogue) -> None:
    turn.say("finish conversation")
    turn.say("Already?")
    turn.say("finish conversation")
    assert end_of(turn) == ("agent", None)
    turn.say("Bye.")
    turn.say("finish conversation")
    assert end_of(turn) == (None, "user_stop")


def test_a_multi_turn_agent_can_finish(turn: MultiTurnDialogue) -> None:
    turn.say("Hello")
    turn.say("[login_device()]")
    turn.say("[turn_on_wifi(), finish conversation]")
    assert end_of(turn) == (None, "completed")
    assert turn.process == ["[login_device()]"]


@pytest.mark.parametrize(("message", "agent_messages"), [("[hello]", 20), ("Hm?", 20)])
def test_all_parties_share_forty_messages(
    message: str, agent_messages: int, turn: MultiTurnDialogue
) -> None:
    said = 0
    while turn.turn is not None:
        said += turn.turn == "agent"
        turn.say(message if turn.turn == "agent" else "Go on.")
    assert (said, turn.ended_by) == (agent_messages, "step_limit")


def test_travel_agents_get_the_travel_policy(miniature: Any) -> None:
    dataset = miniature("zh")
    dialogue = MultiTurnDialogue(dataset, dataset.task("agent_multi_turn_1"))
    assert dialogue.agent_prompt()[0].content.startswith("You serve (zh).\n\nFly well.")
    assert dialogue.user_prompt()[0].content.startswith("You travel. ")


def test_native_agents_get_policies_without_call_formats(miniature: Any) -> None:
    dataset = miniature("en")
    travel, phone = (dataset.task(f"agent_multi_turn_{number}") for number in (1, 0))
    assert policy_without_call_format(dataset, travel) == (
        "Fly well.\n\nTransfers\nAsk first.\nBook both legs.\nPay.\n\n"
        'Say "finish conversation" at the end.'
    )
    assert policy_without_call_format(dataset, phone) == (
        'Phone well.\n\nSay "finish conversation" at the end.'
    )


def test_a_paper_run_takes_one_call_and_shows_one_result(miniature: Any) -> None:
    dataset = miniature("en")
    dialogue = PaperDialogue(dataset, dataset.task("agent_multi_step_0"))
    assert dialogue.opening == dataset.task("agent_multi_step_0").question
    assert dialogue.agent_acts("", ToolCall(name="turn_on_wifi")) == WIFI
    assert dialogue.agent_acts("Which?") == NO_QUESTIONS
    assert dialogue.agent_acts("") == "Action is empty."
    assert dialogue.agent_acts("", ToolCall(name="fly")) == "['No matching function found']"
    assert dialogue.agent_acts("", ToolCall(name="login_device", arguments={"x": 1})) == str(
        ["Error during execution: BaseApi.login_device() got an unexpected keyword argument 'x'"]
    )
    dialogue.agent_acts("Task Completed", ToolCall(name="login_device"))
    assert end_of(dialogue) == (None, "completed")
    assert dialogue.process == [
        "[turn_on_wifi()]",
        "[fly()]",
        "[login_device(x=1)]",
        "[login_device()]",
    ]
    assert dialogue.result()[0] == {"BaseApi": {"wifi": True, "logged_in": False}}


def test_a_paper_run_is_ended_by_its_user_or_after_twenty_actions(miniature: Any) -> None:
    dataset = miniature("en")
    task = dataset.task("agent_multi_turn_0")
    dialogue = PaperDialogue(dataset, task)
    assert (dialogue.turn, dialogue.opening) == ("user", None)
    dialogue.user_says("finish conversation")
    assert dialogue.opening == "finish conversation"
    assert dialogue.agent_acts("Task Completed") is None
    dialogue.user_says("finish conversation")
    assert end_of(dialogue) == (None, "user_stop")
    assert [message.role for message in dialogue.user_prompt()] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]

    dialogue = PaperDialogue(dataset, task)
    dialogue.user_says("Hello")
    for _ in range(19):
        dialogue.agent_acts("", ToolCall(name="turn_on_wifi"))
    assert dialogue.turn == "agent"
    dialogue.agent_acts("Hm?")
    dialogue.user_says("Go on.")
    assert end_of(dialogue) == (None, "step_limit")


def test_the_paper_quotes_texts_naively() -> None:
    assert as_milestone("f", {"x": "It's", "y": [{"a": 1}]}) == "[f(x='It's', y=[{'a': 1}])]"
