"""The rules by which a simulated user's faults are told."""

from functools import lru_cache

import pytest

from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.policies import View, noop, oracle, scripted_user
from envscaler_eval.policies.scripted_user import STOP
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.user_faults import (
    FoundFault,
    Said,
    message_faults,
    stop_faults,
    thanks_in_a_row,
)
from tests.pack_files import STATE, a_scenario

TASK = "Move booking BK-17 of Mrs Keller to room 204. She stays 3 nights. Send the bill to IV-9."


def _scenario(**changes: object) -> Scenario:
    entry = {**a_scenario(task=TASK, checks=[], solution=[]), "state": STATE, **changes}
    return Scenario.model_validate({**entry, "env": "hotel"})


def user(text: str, calls: int = 0) -> Said:
    return Said("user", text, calls)


def agent(text: str, calls: int = 0) -> Said:
    return Said("assistant", text, calls)


def _kinds(faults: list[FoundFault]) -> list[str]:
    return [fault.kind for fault in faults]


def test_telling_the_request_in_parts_and_in_other_words_is_no_fault() -> None:
    talk = [
        user("Hello, I'd like to change a booking: bk 17."),
        agent("Whose is it?"),
        user("Mrs. Keller's. She should be in 204, and stay for three nights."),
    ]
    assert message_faults(_scenario(), talk[:1]) == []
    assert message_faults(_scenario(), talk) == []


def test_the_request_repeated_whole_is_a_fault_wherever_it_comes() -> None:
    for talk in ([user(TASK)], [user("Hi."), agent("Yes?"), user(f"So: {TASK.upper()} Thanks!")]):
        (fault,) = message_faults(_scenario(), talk)
        assert fault == FoundFault("whole_request", "100% of the request in one message")


def test_two_thirds_of_the_request_are_not_the_whole() -> None:
    most = TASK.rpartition("Send")[0]
    assert message_faults(_scenario(), [user(most)]) == []


def test_a_request_of_one_sentence_may_be_told_at_once() -> None:
    short = "Move booking BK-17 of Mrs Keller to room 204."
    assert message_faults(_scenario(task=short), [user(short)]) == []


def test_facts_that_the_scenario_does_not_hold_are_named() -> None:
    (fault,) = message_faults(_scenario(), [user("Please move BK-18 of Mrs Brandt to room 205.")])
    assert fault == FoundFault("foreign_fact", "BK-18, 205, Brandt")


def test_facts_of_the_persona_the_moment_and_the_assistant_are_not_foreign() -> None:
    scenario = _scenario(user={"persona": "Ida Moss, of desk 7."}, now="2026-03-09T08:30:00")
    talk = [
        user("This is Ida, with desk 7. It's for today, March 9."),
        agent("The booking is RES-2, for 88.50 a night."),
        user("Yes, take RES-2 for 88.50."),
    ]
    assert message_faults(scenario, talk[:1]) == []
    assert message_faults(scenario, talk) == []


def test_an_invented_fact_counts_when_it_is_said_first() -> None:
    talk = [user("It is BK-18."), agent("Sure?"), user("Certainly BK-18.")]
    assert _kinds(message_faults(_scenario(), talk[:1])) == ["foreign_fact"]
    assert message_faults(_scenario(), talk) == []


@pytest.mark.parametrize(
    "last",
    [
        "Moved to 204. I could not send the bill: rule 3 forbids it.",
        "Everything is done. Is there anything else that I can do for you?",
        "Done. Let me know if you need something else.",
    ],
)
def test_stopping_after_a_report_is_no_fault(last: str) -> None:
    assert stop_faults(_scenario(), [user("BK-17, and IV-9 for the bill."), agent(last)]) == []


@pytest.mark.parametrize(
    ("talk", "why"),
    [
        ([], "nothing had been asked"),
        (
            [user(TASK), agent("I found it. Shall I move BK-17?")],
            "the assistant had asked: Shall I move BK-17?",
        ),
        (
            [user(TASK), agent("Thanks. Let me check that for you.")],
            "the assistant had announced: Let me check that for you.",
        ),
        ([user("Move BK-17."), agent("Moved.")], "nobody had mentioned IV-9"),
    ],
)
def test_stopping_before_the_outcome_is_a_fault(talk: list[Said], why: str) -> None:
    assert stop_faults(_scenario(), talk) == [FoundFault("premature_stop", why)]


def test_thanks_without_end_are_a_fault_from_the_second_on() -> None:
    talk = [user("Move BK-17."), agent("Done.", 2), user("Great, thank you so much!", 2)]
    assert message_faults(_scenario(), talk) == []
    talk += [agent("You're welcome!", 2), user("Thanks again, you're welcome too. Goodbye!", 2)]
    assert message_faults(_scenario(), talk) == [FoundFault("endless_thanks", "thanks, 2 in a row")]
    talk += [agent("Bye!", 2), user("Bye, have a nice day.", 2)]
    assert thanks_in_a_row(talk) == 3


@pytest.mark.parametrize(
    "second",
    [
        "Thank you, yes, go ahead.",
        "Thanks, and the bill?",
        "Thanks. Mrs Keller stays 3 nights.",
        "Okay.",
    ],
)
def test_thanks_that_say_more_are_no_loop(second: str) -> None:
    talk = [user("Thank you."), agent("Shall I go ahead?"), user(second)]
    assert thanks_in_a_row(talk) == 0


def test_thanks_for_one_thing_after_the_other_are_no_loop() -> None:
    talk = [user("Thank you.", 1), agent("The next is done, too.", 2), user("Thank you.", 2)]
    assert thanks_in_a_row(talk) == 1


@lru_cache
def _library() -> list[Scenario]:
    return [scenario for folder in find_packs() for scenario in read_pack(folder).scenarios]


@pytest.mark.parametrize("policy", ["oracle", "noop"])
def test_the_scripted_user_makes_no_fault_in_the_library(policy: str) -> None:
    for scenario in _library():
        assistant = oracle(scenario, "conv") if policy == "oracle" else noop()
        told = scripted_user(scenario)
        talk: list[Said] = []
        texts = [turn.text for turn in map(assistant, map(View, range(60))) if not turn.calls]
        for place, reply in enumerate(["Hi! How can I help you today?", *texts]):
            said = told(View(place, [reply])).text
            if place:
                talk.append(agent(reply))
            if STOP in said:
                assert stop_faults(scenario, talk) == [], scenario.name
                break
            talk.append(user(said))
            assert message_faults(scenario, talk) == [], scenario.name
        else:
            pytest.fail(f"{scenario.name}: the user never stops")


def test_the_library_is_more_than_a_handful() -> None:
    assert len(_library()) >= 90
