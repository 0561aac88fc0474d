"""The non-conversational mode, end to end."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ModelOutput

from envscaler_eval.solvers import non_conv
from tests.inspect_runs import (
    ORDER,
    TAKE,
    call,
    facts,
    model,
    observations,
    only,
    run,
    say,
    score,
)
from tests.pack_files import a_scenario, write_pack

DONE = say("Task Completed")


def test_work_that_is_done_earns_everything(pack_folder: Path, tmp_path: Path) -> None:
    sample = only(run(pack_folder, model(say("", TAKE), say("", ORDER), DONE), tmp_path))
    assert score(sample) == {"reward": 1, "success": 1, "paper_reward": 1}
    assert facts(sample)["ended_by"] == "completed"
    assert facts(sample)["steps"] == 3
    assert facts(sample)["calls"] == 2


def test_stopping_at_once_earns_nothing(pack_folder: Path, tmp_path: Path) -> None:
    sample = only(run(pack_folder, model(DONE), tmp_path))
    assert score(sample) == {"reward": 0, "success": 0, "paper_reward": pytest.approx(1 / 3)}
    assert facts(sample)["ended_by"] == "completed"


def test_the_prompt_holds_introduction_rules_time_and_task(
    pack_folder: Path, tmp_path: Path
) -> None:
    system, task = only(run(pack_folder, model(DONE), tmp_path)).messages[:2]
    assert system.role == "system"
    for part in ("Keeps small parts.", "Nobody takes more than there is.", "2026-03-09T08:30:00"):
        assert part in system.text
    assert task.text == "Take three bolts out. Then order nuts. It is urgent."


def test_the_model_sees_the_environment_s_tools(pack_folder: Path, tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def reply(messages: list[ChatMessage], tools: Any, *_: Any) -> ModelOutput:
        seen.append([tool.name for tool in tools])
        return DONE

    from inspect_ai.model import get_model

    run(pack_folder, get_model("mockllm/model", custom_outputs=reply, memoize=False), tmp_path)
    assert seen == [["list_items", "take_item", "order_item", "break_down"]]


def test_several_calls_in_a_turn_are_made_in_order(pack_folder: Path, tmp_path: Path) -> None:
    first = call("take_item", "a", item_id="I-1", quantity=10)
    second = call("take_item", "b", item_id="I-1", quantity=1)
    sample = only(run(pack_folder, model(say("", first, second, ORDER), DONE), tmp_path))
    assert [json.loads(text).get("success") for text in observations(sample)] == [True, False, True]
    assert "0 pieces are left" in observations(sample)[1]
    assert facts(sample)["tool_errors"]["failed"] == 1


def test_text_beside_calls_does_not_end_the_episode(pack_folder: Path, tmp_path: Path) -> None:
    turns = say("Let me see.", TAKE), say("Task Completed", ORDER), DONE
    assert score(only(run(pack_folder, model(*turns), tmp_path)))["success"] == 1


@pytest.mark.parametrize(
    ("faulty", "kind", "told"),
    [
        (call("steal_item"), "unknown", "There is no tool named 'steal_item'"),
        (call("_secret"), "unknown", "There is no tool named '_secret'"),
        (call("take_item", item_id="I-1", quantity="3"), "invalid", "'quantity'"),
        (call("take_item", item_id="I-9", quantity=1), "failed", "There is no item I-9"),
        (call("break_down"), "raised", "break_down raised RuntimeError: out of order"),
        (call("take_item", parse_error="no JSON: {item_id"), "malformed", "no JSON: {item_id"),
    ],
)
def test_a_call_that_goes_wrong_is_an_observation_and_counted(
    faulty: Any, kind: str, told: str, pack_folder: Path, tmp_path: Path
) -> None:
    turns = say("", faulty), say("", TAKE), say("", ORDER), DONE
    sample = only(run(pack_folder, model(*turns), tmp_path))
    tool_message = next(message for message in sample.messages if message.role == "tool")
    error = tool_message.error.message if tool_message.error else ""
    assert told in tool_message.text + error
    counts = facts(sample)["tool_errors"]
    assert counts == {**dict.fromkeys(counts, 0), kind: 1}
    assert score(sample)["success"] == 1


def test_an_empty_reply_is_asked_again_and_counted(pack_folder: Path, tmp_path: Path) -> None:
    turns = say(""), say("  \n"), say("", TAKE, ORDER), DONE
    sample = only(run(pack_folder, model(*turns), tmp_path))
    assert facts(sample)["tool_errors"]["malformed"] == 2
    assert facts(sample)["ended_by"] == "completed"
    assert score(sample)["success"] == 1
    assert [m.text for m in sample.messages if m.role == "user"][1].startswith("Your reply was")


def test_the_step_limit_ends_the_episode_and_it_is_graded(
    pack_folder: Path, tmp_path: Path
) -> None:
    turns = say("", TAKE), say("", call("list_items"))
    sample = only(run(pack_folder, model(*turns), tmp_path, step_limit=4))
    assert facts(sample)["ended_by"] == "step_limit"
    assert facts(sample)["steps"] == 4
    assert score(sample)["reward"] == pytest.approx(1 / 2)


def test_fifty_steps_are_the_limit_by_default(pack_folder: Path, tmp_path: Path) -> None:
    sample = only(run(pack_folder, model(say("", call("list_items"))), tmp_path))
    assert facts(sample)["steps"] == 50


@pytest.mark.parametrize(
    ("limit", "value", "ended_by"),
    [
        ("message_limit", 6, "step_limit"),
        ("turn_limit", 3, "step_limit"),
        ("token_limit", 50, "token_limit"),
    ],
)
def test_a_limit_of_inspect_ends_the_episode_and_it_is_graded(
    limit: str, value: int, ended_by: str, pack_folder: Path, tmp_path: Path
) -> None:
    turns = say("", TAKE), say("", call("list_items"))
    limits: dict[str, Any] = {f"eval_{limit}": value}
    log = run(pack_folder, model(*turns), tmp_path, **limits)
    sample = only(log)
    assert sample.limit is not None
    assert facts(sample)["ended_by"] == ended_by
    assert score(sample)["reward"] == pytest.approx(1 / 2)


def test_running_out_of_time_ends_the_episode_and_it_is_graded(
    pack_folder: Path, tmp_path: Path
) -> None:
    import anyio
    from inspect_ai.model import get_model

    async def reply(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        if any(message.role == "tool" for message in messages):
            await anyio.sleep_forever()
        return say("", TAKE)

    player = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    sample = only(run(pack_folder, player, tmp_path, eval_time_limit=5))
    assert facts(sample)["ended_by"] == "time_limit"
    assert score(sample)["reward"] == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("stop_reason", "ended_by"),
    [("model_length", "context_length"), ("max_tokens", "token_limit")],
)
def test_a_reply_that_was_cut_short_is_no_claim_to_be_done(
    stop_reason: str, ended_by: str, pack_folder: Path, tmp_path: Path
) -> None:
    turns = say("", TAKE), say("I have", stop_reason=stop_reason)
    sample = only(run(pack_folder, model(*turns), tmp_path))
    assert facts(sample)["ended_by"] == ended_by
    assert score(sample)["reward"] == pytest.approx(1 / 2)


def test_outside_of_the_task_the_solver_says_what_it_needs(tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample

    (log,) = inspect_eval(
        Task(dataset=[Sample("hello")], solver=non_conv()),
        model=model(DONE),
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "error"
    assert log.error is not None
    assert "use it with the task envscaler_eval/envscaler" in log.error.message


def test_long_observations_are_not_cut(tmp_path: Path) -> None:
    items = {f"I-{n}": {"name": "bolt" * 20, "quantity": n} for n in range(500)}
    scenario = a_scenario(state={"items": items, "orders": {}, "next_order": 1})
    pack = write_pack(tmp_path, scenarios=[scenario])
    sample = only(run(pack, model(say("", call("list_items")), DONE), tmp_path))
    (observation,) = observations(sample)
    assert len(observation) > 40_000
    assert json.loads(observation)["items"] == items
