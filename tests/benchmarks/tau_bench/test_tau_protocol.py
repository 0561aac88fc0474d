"""What ends a trial, and how agents' messages are read."""

import json

import pytest

from envscaler_eval.benchmarks.tau_bench import Domain, protocol, react_agent
from envscaler_eval.benchmarks.tau_bench.protocol import AgentFault


def test_the_stop_token_counts_anywhere() -> None:
    assert protocol.user_stops("Thanks! ###STOP###")
    assert not protocol.user_stops("stop")


def test_only_a_transfer_ends_a_trial() -> None:
    assert protocol.ends_trial("transfer_to_human_agents")
    assert not protocol.ends_trial("think")


def test_arguments_are_a_json_object() -> None:
    assert protocol.parsed_arguments('{"a": 1.0}') == {"a": 1.0}
    with pytest.raises(AgentFault, match="not JSON"):
        protocol.parsed_arguments("{a: 1}")
    with pytest.raises(AgentFault, match="a JSON list, not an object"):
        protocol.parsed_arguments("[]")


@pytest.mark.parametrize(("thoughts", "end"), [(True, "\nThink, then act."), (False, "\nAct.")])
def test_text_agents_see_policy_tools_and_instruction(
    thoughts: bool, end: str, retail: Domain
) -> None:
    prompt = react_agent.system_prompt(retail, thoughts=thoughts)
    assert prompt.startswith("Be kind (retail).\n#Available tools\n[{")
    assert prompt.endswith(end)
    tools = prompt.removesuffix(end).split("\n#Available tools\n")[1]
    assert [tool["function"]["name"] for tool in json.loads(tools)] == list(retail.functions)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (
            'Thought: hm\nAction:\n{"name": "think", "arguments": {"thought": ""}}',
            ("think", {"thought": ""}),
        ),
        ('Action: x Action: {"name": "a", "arguments": {}}', ("a", {})),
        ("Hello Action: there ", ("respond", {"content": "there"})),
        ("Hello", ("respond", {"content": "Hello"})),
    ],
)
def test_the_last_action_counts_and_other_text_is_a_reply(
    text: str, call: tuple[str, object]
) -> None:
    assert react_agent.parsed_action(text) == call


@pytest.mark.parametrize("text", ["5", "[]", '{"name": "a"}', '{"name": 1, "arguments": {}}', '""'])
def test_json_that_is_no_action_is_a_fault(text: str) -> None:
    with pytest.raises(AgentFault, match="not an action"):
        react_agent.parsed_action(f"Action: {text}")


def test_observations_of_tools_are_marked() -> None:
    assert react_agent.observation_message("think", "x") == "API output: x"
    assert react_agent.observation_message("respond", "x") == "x"
