"""Simulated users, with a scripted model."""

from collections.abc import Iterable

import pytest

from envscaler_eval.benchmarks.tau_bench import Domain, users
from envscaler_eval.benchmarks.tau_bench.users import (
    STRATEGIES,
    FixedReactUser,
    LlmUser,
    Message,
    ReactUser,
    ReflectionUser,
    ScriptedUser,
    Turn,
    UserFault,
    VerifyUser,
)

STOP = "###STOP###"


def said(turn: Turn, answers: Iterable[str], asked: list[list[Message]] | None = None) -> str:
    """Drive a turn with a model that gives the answers in order."""
    answer = iter(answers)
    requests = [] if asked is None else asked
    try:
        requests.append(next(turn))
        while True:
            requests.append(turn.send(next(answer)))
    except StopIteration as done:
        return str(done.value)


class TestLlm:
    def test_it_sees_its_instruction_and_a_greeting(self, retail: Domain) -> None:
        user = LlmUser("You are {x}.", retail.prompts)
        asked: list[list[Message]] = []
        assert said(user.open(), ["Hello"], asked) == "Hello"
        assert asked == [
            [
                {
                    "role": "system",
                    "content": (
                        "Play a customer.\n\nInstruction: You are {x}.\nSay {nothing} else."
                    ),
                },
                {"role": "user", "content": "Good day!"},
            ]
        ]

    def test_the_agent_speaks_in_the_role_of_user(self, retail: Domain) -> None:
        user = LlmUser("", retail.prompts)
        said(user.open(), ["Hello"])
        said(user.reply("What is it?"), ["A kite"])
        assert [(message["role"], message["content"]) for message in user.messages[1:]] == [
            ("user", "Good day!"),
            ("assistant", "Hello"),
            ("user", "What is it?"),
            ("assistant", "A kite"),
        ]

    def test_opening_again_begins_anew(self, retail: Domain) -> None:
        user = LlmUser("", retail.prompts)
        said(user.open(), ["Hello"])
        said(user.open(), ["Hi"])
        assert len(user.messages) == 3


@pytest.mark.parametrize(
    ("text", "upstream", "fixed"),
    [
        ("Thought:\nhm\n\nUser Response:\nHi", "hm\n\nUser Response:\nHi", "Hi"),
        ("User Response: Hi", "Hi", "Hi"),
        ("Thought: Hi", "Hi", "Hi"),
        (f"Thought: done\nUser Response: {STOP}", STOP, STOP),
    ],
)
def test_react_leaks_thoughts_and_its_repair_does_not(
    text: str, upstream: str, fixed: str, retail: Domain
) -> None:
    assert said(ReactUser("", retail.prompts).open(), [text]) == upstream
    assert said(FixedReactUser("", retail.prompts).open(), [text]) == fixed


def test_react_needs_a_label_and_its_repair_does_not(retail: Domain) -> None:
    with pytest.raises(UserFault, match="neither thought nor response"):
        said(ReactUser("", retail.prompts).open(), ["Hi"])
    assert said(FixedReactUser("", retail.prompts).open(), [" Hi "]) == "Hi"


@pytest.mark.parametrize("strategy", ["react", "react_fixed"])
def test_two_thoughts_cannot_be_read(strategy: str, retail: Domain) -> None:
    with pytest.raises(UserFault, match="found it 2 times"):
        said(STRATEGIES[strategy]("", retail.prompts).open(), ["Thought: a Thought: b"])


def test_the_repair_cuts_off_what_a_reasoning_model_thinks(retail: Domain) -> None:
    user = FixedReactUser("", retail.prompts)
    assert said(user.open(), ["<think>Thought: x</think> Hi"]) == "Hi"
    assert user.messages[-1]["content"] == "Hi"


class TestVerify:
    def test_it_says_what_is_approved(self, retail: Domain) -> None:
        user = VerifyUser("", retail.prompts)
        asked: list[list[Message]] = []
        assert said(user.open(), ["a", "False", "b", "It is TRUE."], asked) == "b"
        assert [message["content"] for message in user.messages[2:]] == ["b"]
        assert asked[1] == [
            {
                "role": "user",
                "content": (
                    "Good?\nSystem: Play a customer.\n\nInstruction: \nSay {nothing} else.\n"
                    "Customer: Good day!\n--\nMessage(content='a', role='assistant', "
                    "tool_calls=None, function_call=None)"
                ),
            }
        ]

    def test_it_says_but_forgets_the_third_that_is_not(self, retail: Domain) -> None:
        user = VerifyUser("", retail.prompts)
        assert said(user.open(), ["a", "no", "b", "no", "c", "no"]) == "c"
        assert len(user.messages) == 2


class TestReflection:
    def test_an_approved_answer_is_said(self, retail: Domain) -> None:
        assert said(ReflectionUser("", retail.prompts).open(), ["a", "true"]) == "a"

    def test_a_second_answer_follows_a_reflection(self, retail: Domain) -> None:
        user = ReflectionUser("", retail.prompts)
        asked: list[list[Message]] = []
        answers = ["a", "false", "Reflection: bad\nResponse: try b", "b", "true"]
        assert said(user.open(), answers, asked) == "b"
        assert asked[3][-1] == {"role": "user", "content": "try b"}
        assert [message["content"] for message in user.messages[2:]] == ["a", "b"]

    def test_if_both_are_disapproved_of_the_first_is_said(self, retail: Domain) -> None:
        answers = ["a", "false", "Response: try b", "b", "false"]
        assert said(ReflectionUser("", retail.prompts).open(), answers) == "a"

    def test_a_reflection_without_response_cannot_be_read(self, retail: Domain) -> None:
        with pytest.raises(UserFault, match="'Response:' once, found it 0 times"):
            said(ReflectionUser("", retail.prompts).open(), ["a", "false", "hm"])


def test_a_scripted_user_says_its_lines_and_stops() -> None:
    user = ScriptedUser(["Hello", "Yes"])
    assert [said(user.open(), []), said(user.reply("?"), []), said(user.reply("!"), [])] == [
        "Hello",
        "Yes",
        STOP,
    ]


def test_every_strategy_makes_a_user(retail: Domain) -> None:
    assert list(STRATEGIES) == ["llm", "react", "react_fixed", "verify", "reflection", "scripted"]
    for make in STRATEGIES.values():
        user: users.User = make("Buy a kite.", retail.prompts)
        assert said(user.open(), ["Thought: Buy a kite.", "true"]).endswith("Buy a kite.")
