"""Requests are read as what a policy has seen."""

from typing import Any

import pytest

from envscaler_eval.serving.conversation import BadRequest, read_conversation
from tests.serving.requests import TOOLS, conversation

INSPECT_PROMPT = """
<tools>
{
  "name": "take_item",
  "description": "Take it.",
  "parameters": {"properties": {"item_id": {"type": "string"}}}
}

{"type": "function", "function": {"name": "list_items"}}
</tools>
"""


def test_users_are_heard_and_tools_observed() -> None:
    said = conversation(
        ("system", "Be brief."),
        ("user", "Hello"),
        ("assistant", ""),
        ("tool", "three"),
        ("user", "More"),
    )
    view = said.now.view(step=1)
    assert (view.heard, view.observations) == (["Hello", "More"], ["three"])
    assert said.prompt == "Be brief."


def test_a_moment_stands_before_each_reply() -> None:
    said = conversation(("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"))
    assert [list(moment.heard) for moment in said.moments] == [["a"], ["a", "c"], ["a", "c"]]
    assert [moment.kept.text if moment.kept else None for moment in said.moments] == [
        "b",
        "d",
        None,
    ]


def test_a_conversation_that_goes_on_has_the_moments_that_it_had() -> None:
    start = [("user", "a"), ("assistant", "b"), ("user", "c")]
    longer = [*start, ("assistant", "d"), ("user", "e")]
    before = [moment.digest for moment in conversation(*start).moments]
    assert [moment.digest for moment in conversation(*longer).moments][:2] == before


def test_reasoning_that_a_client_drops_makes_no_other_conversation() -> None:
    thinking = {"role": "assistant", "content": "\nb", "reasoning_content": "hm"}
    tagged = {"role": "assistant", "content": "<think>\nhm\n</think>\nb"}
    plain = {"role": "assistant", "content": "b"}
    digests = {
        read_conversation({"messages": [message]}).now.digest
        for message in (thinking, tagged, plain)
    }
    assert len(digests) == 1


def test_parts_of_a_message_are_read_together() -> None:
    parts = [{"type": "text", "text": "Take"}, {"type": "text", "text": "three"}]
    said = read_conversation({"messages": [{"role": "user", "content": parts}]})
    assert said.now.heard == ["Take\nthree"]


def test_tools_of_a_prompt_are_read_and_their_results_observed() -> None:
    said = conversation(
        ("system", INSPECT_PROMPT),
        ("user", "Go"),
        ("assistant", '<tool_call>{"name": "list_items", "arguments": {} }</tool_call>'),
        ("user", "The 'list_items' function was called. The results are:\n\n{}"),
        ("user", "<tool_response>\n[]\n</tool_response>"),
        tools=None,
    )
    assert not said.native
    assert [tool.name for tool in said.tools] == ["take_item", "list_items"]
    assert said.tools[0].parameters["properties"] == {"item_id": {"type": "string"}}
    assert (said.now.heard, said.now.observations) == (["Go"], ["{}", "[]"])
    assert said.messages[2].calls == 1


def test_with_tools_of_its_own_a_request_s_texts_are_texts() -> None:
    said = conversation(("user", "<tool_response>\n[]\n</tool_response>"))
    assert said.native
    assert (len(said.now.heard), said.now.observations) == (1, [])


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "'messages' must be a list"),
        ({"messages": []}, "at least one message"),
        ({"messages": ["hello"]}, "an object with a role"),
        ({"messages": [{"role": "user", "content": 3}]}, "text or a list of parts"),
        ({"messages": [{"role": "user"}], "tools": [{}]}, "a function that has a name"),
    ],
)
def test_what_is_no_request_is_refused(body: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        read_conversation(body)


def test_a_request_may_name_tools_without_parameters() -> None:
    said = conversation(("user", "Go"), tools=TOOLS)
    assert said.tools[0].parameters == {"type": "object", "properties": {}}
