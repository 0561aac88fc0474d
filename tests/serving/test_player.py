"""Policies are played by requests alone, and go on after a fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.episode import Episode
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import read_pack
from envscaler_eval.policies import DONE, STOP
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.serving import CONTENT_FAULTS, FaultPlan, Player
from envscaler_eval.serving.conversation import BadRequest, read_conversation
from envscaler_eval.serving.reply import Reply
from tests.pack_files import SOLUTION, a_scenario, write_pack
from tests.serving.requests import TOOLS, conversation, kept, observations

TASK = "Take three bolts out. Then order nuts. It is urgent."


def _player(root: Path, name: str = "oracle", *faults: str, seed: int = 0) -> Player:
    # Without the call that only looks, so that none can be left out.
    pack = write_pack(root, scenarios=[a_scenario(solution=SOLUTION[1:])])
    return Player(name, [read_pack(pack)], FaultPlan.parse(faults, seed), seed)


def _harness(root: Path, *faults: str, keep: int | None = None, seed: int = 0) -> list[Reply]:
    """Play an episode as a lenient harness does, and require the full reward.

    Args:
        root: Where the pack is written.
        faults: How the model misbehaves.
        keep: How many calls of a reply the harness makes; all by default.
        seed: Fixes the faults.
    """
    player = _player(root, "oracle", *faults, seed=seed)
    pack = read_pack(root / "stock_room")
    replies: list[Reply] = []
    messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]
    with Episode(pack.scenarios[0], InProcessRuntime(pack.environment)) as episode:
        for _ in range(200):
            reply, _ = player.reply(read_conversation({"messages": messages, "tools": TOOLS}))
            reply = Reply(reply.text, reply.calls[:keep], reply.reasoning, reply.refusal)
            replies.append(reply)
            if reply.text == DONE:
                assert episode.grade().success
                return replies
            messages += [
                kept(reply),
                *observations(reply, [_make(episode, c) for c in reply.calls]),
            ]
            messages += [] if reply.calls else [{"role": "user", "content": "Go on."}]
    raise AssertionError("the oracle does not come to an end")


def _make(episode: Episode, call: Any) -> str:
    try:
        arguments = json.loads(call.arguments.removesuffix('""'))
    except ValueError:
        return "Error: these arguments cannot be read"
    return episode.call(call.name, arguments)


@pytest.mark.parametrize("fault", CONTENT_FAULTS)
def test_after_a_fault_the_oracle_goes_on_with_its_script(fault: str, tmp_path: Path) -> None:
    without = _harness(tmp_path / "without")
    with_fault = _harness(tmp_path / "with", fault)
    assert with_fault != without


def test_an_oracle_that_often_fails_comes_to_the_end_all_the_same(tmp_path: Path) -> None:
    rates = [f"{fault}=0.1" for fault in CONTENT_FAULTS]
    lengths = {len(_harness(tmp_path / str(seed), *rates, seed=seed)) for seed in range(20)}
    assert len(lengths) > 2


def test_calls_that_a_harness_does_not_make_are_made_later(tmp_path: Path) -> None:
    assert len(_harness(tmp_path / "all", "several_calls=1")) == 2
    assert len(_harness(tmp_path / "first", "several_calls=1", keep=1)) == 3


def test_one_conversation_has_one_reply_whatever_came_between(tmp_path: Path) -> None:
    player = _player(tmp_path, "oracle", "empty_reply=0.3", "unknown_tool=0.3")
    beginning = conversation(("user", TASK))
    others = [conversation(("user", f"{TASK} {n}")) for n in range(20)]
    first = player.reply(beginning)
    replies = [player.reply(other) for other in others]
    assert len(set(replies)) > 1
    assert [player.reply(other) for other in reversed(others)] == replies[::-1]
    assert player.reply(beginning) == first


def test_without_tools_of_its_own_a_request_is_answered_in_text(tmp_path: Path) -> None:
    reply, _ = _player(tmp_path).reply(conversation(("user", TASK), tools=None))
    assert reply.calls == ()
    arguments = '{"item_id": "I-1", "quantity": 3}'
    assert reply.text == (
        f'<tool_call>\n{{"name": "take_item", "arguments": {arguments}}}\n</tool_call>'
    )


def test_noop_and_random_play_anything(tmp_path: Path) -> None:
    asked = conversation(("user", "What is the capital of France?"))
    assert _player(tmp_path / "a", "noop").reply(asked)[0].text == DONE
    (call,) = _player(tmp_path / "b", "random").reply(asked)[0].calls
    assert call.name == "list_items"


def test_random_draws_from_what_was_observed(tmp_path: Path) -> None:
    parameters = {"properties": {"item_id": {"type": "string"}}, "required": ["item_id"]}
    tools = [{"type": "function", "function": {"name": "take", "parameters": parameters}}]
    seen = conversation(
        ("user", "Go"), ("assistant", ""), ("tool", '{"item_id": "I-77"}'), tools=tools
    )
    (call,) = _player(tmp_path, "random").reply(seen)[0].calls
    assert json.loads(call.arguments) == {"item_id": "I-77"}


def test_random_needs_tools(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="draws from tools"):
        _player(tmp_path, "random").reply(conversation(("user", "Go"), tools=None))


def test_the_scripted_user_tells_its_pieces_and_stops(tmp_path: Path) -> None:
    player = _player(tmp_path, "scripted")
    said: list[tuple[str, str]] = [("system", f"You want: {TASK}"), ("user", "Hi!")]
    told = []
    for answer in ("Anything else?", "And?", "Is that all?", "All is done."):
        told.append(player.reply(conversation(*said, tools=None))[0].text)
        said += [("assistant", told[-1]), ("user", answer)]
    last = player.reply(conversation(*said, tools=None))[0].text
    assert told[:3] == ["Take three bolts out.", "Then order nuts.", "It is urgent."]
    assert last == STOP


def test_the_scripted_user_thinks_aloud_where_its_prompt_asks_for_it(tmp_path: Path) -> None:
    prompt = f"You want: {TASK}\nAnswer as\n# Thought:\n...\n# Reply:\n..."
    asked = conversation(("system", prompt), ("user", "Hi!"), tools=None)
    thought, _, said = _player(tmp_path, "scripted").reply(asked)[0].text.partition("# Reply:\n")
    assert thought.startswith("# Thought:\n")
    assert said == "Take three bolts out."


def test_in_conversation_the_oracle_asks_before_it_acts(tmp_path: Path) -> None:
    reply, _ = _player(tmp_path).reply(conversation(("user", "Take three bolts out.")))
    assert reply.text.endswith("?")
    assert not reply.calls


def test_a_policy_that_is_not_served_is_refused_with_those_that_are(tmp_path: Path) -> None:
    pack = read_pack(write_pack(tmp_path, scenarios=[a_scenario()]))
    with pytest.raises(UsageError, match="no policy 'genius' to serve; use oracle, noop"):
        Player("genius", [pack])
