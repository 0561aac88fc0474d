"""The conversational mode, end to end."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ModelOutput

from envscaler_eval.solvers import conv
from tests.inspect_runs import ORDER, TAKE, call, facts, model, only, run, say, score
from tests.pack_files import a_scenario, write_pack

STOP = say("###STOP###")
WORK = say("", TAKE, ORDER), say("Taken and ordered.")


def test_the_user_opens_and_ends_the_conversation(pack_folder: Path, tmp_path: Path) -> None:
    user = model(say("Take three bolts out."), say("And order nuts, urgently."), STOP)
    agent = model(say("Anything else?"), *WORK)
    sample = only(run(pack_folder, agent, tmp_path, user, mode="conv"))
    assert [message.role for message in sample.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert sample.messages[1].text == "Take three bolts out."
    assert score(sample)["success"] == 1
    assert facts(sample)["ended_by"] == "user_stop"
    assert facts(sample)["user_messages"] == 2
    assert facts(sample)["steps"] == 3


def test_the_task_reaches_the_agent_only_through_the_user(
    pack_folder: Path, tmp_path: Path
) -> None:
    user = model(say("Hello there."), STOP)
    sample = only(run(pack_folder, model(say("Hi.")), tmp_path, user, mode="conv"))
    assert not any("three bolts" in message.text for message in sample.messages)
    assert score(sample)["reward"] == 0


def test_the_user_sees_the_conversation_and_neither_tools_nor_calls(
    pack_folder: Path, tmp_path: Path
) -> None:
    seen: list[tuple[list[ChatMessage], list[Any]]] = []

    def reply(messages: list[ChatMessage], tools: list[Any], *_: Any) -> ModelOutput:
        seen.append((list(messages), tools))
        return say("Take three bolts out.") if len(seen) == 1 else STOP

    from inspect_ai.model import get_model

    user = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    run(pack_folder, model(*WORK), tmp_path, user, mode="conv")
    (opening, tools), (later, _) = seen
    assert tools == []
    assert "Take three bolts out. Then order nuts." in opening[0].text
    assert [message.role for message in later] == ["system", "user", "assistant", "user"]
    assert later[-1].text == "Taken and ordered."


def test_the_user_s_prompt_holds_persona_and_what_is_held_back(tmp_path: Path) -> None:
    scenario = a_scenario(user={"persona": "A hurried joiner.", "held_back": ["It is urgent."]})
    prompts: list[str] = []

    def reply(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        prompts.append(messages[0].text)
        return say("Hello.") if len(prompts) == 1 else STOP

    from inspect_ai.model import get_model

    user = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    run(write_pack(tmp_path, scenarios=[scenario]), model(say("Hi.")), tmp_path, user, mode="conv")
    assert "A hurried joiner." in prompts[0]
    assert "\n- It is urgent." in prompts[0]


def test_without_a_user_model_there_is_no_conversation(pack_folder: Path, tmp_path: Path) -> None:
    log = run(pack_folder, model(*WORK), tmp_path, mode="conv")
    assert log.status == "error"
    assert log.samples is not None and log.samples[0].error is not None
    told = log.samples[0].error.message
    assert "needs a model for the user; add --model-role user=MODEL" in told
    assert "policy/user works offline" in told


@pytest.mark.parametrize(
    "replies",
    [(say(""),), (STOP,), (say("Hello."), say(" "))],
    ids=["says nothing", "stops before it has begun", "falls silent"],
)
def test_a_user_that_fails_ends_the_episode_and_it_is_graded(
    replies: Any, pack_folder: Path, tmp_path: Path
) -> None:
    sample = only(run(pack_folder, model(*WORK), tmp_path, model(*replies), mode="conv"))
    assert facts(sample)["ended_by"] == "user_fault"
    assert "reward" in score(sample)


def test_an_empty_reply_of_the_user_is_tried_again(pack_folder: Path, tmp_path: Path) -> None:
    answers = iter([say(""), say("Take three bolts, order nuts."), STOP])
    from inspect_ai.model import get_model

    user = get_model("mockllm/model", custom_outputs=lambda *_: next(answers), memoize=False)
    sample = only(run(pack_folder, model(*WORK), tmp_path, user, mode="conv"))
    assert facts(sample)["ended_by"] == "user_stop"
    assert score(sample)["success"] == 1


def test_an_empty_reply_of_the_agent_does_not_reach_the_user(
    pack_folder: Path, tmp_path: Path
) -> None:
    user = model(say("Take three bolts, order nuts."), STOP)
    sample = only(run(pack_folder, model(say(""), *WORK), tmp_path, user, mode="conv"))
    assert facts(sample)["user_messages"] == 1
    assert facts(sample)["tool_errors"]["malformed"] == 1
    assert score(sample)["success"] == 1


def test_the_step_limit_counts_the_agent_s_generations(pack_folder: Path, tmp_path: Path) -> None:
    log = run(
        pack_folder, model(say("Hm.")), tmp_path, model(say("Well?")), mode="conv", step_limit=5
    )
    sample = only(log)
    assert facts(sample)["ended_by"] == "step_limit"
    assert facts(sample)["steps"] == 5
    # The user is heard once more, since they may be content with the last message.
    assert facts(sample)["user_messages"] == 6


def test_a_user_may_stop_after_the_agent_s_last_step(pack_folder: Path, tmp_path: Path) -> None:
    user = model(say("Take three bolts, order nuts."), STOP)
    sample = only(run(pack_folder, model(*WORK), tmp_path, user, mode="conv", step_limit=2))
    assert facts(sample)["ended_by"] == "user_stop"


def test_calls_between_messages_go_on_until_the_agent_speaks(
    pack_folder: Path, tmp_path: Path
) -> None:
    agent = model(say("", call("list_items")), say("", TAKE), say("", ORDER), say("Done."))
    sample = only(run(pack_folder, agent, tmp_path, model(say("Go."), STOP), mode="conv"))
    assert facts(sample)["calls"] == 3
    assert facts(sample)["ended_by"] == "user_stop"


def test_both_modes_run_in_one_task(pack_folder: Path, tmp_path: Path) -> None:
    log = run(pack_folder, "policy/oracle", tmp_path, "policy/user", mode="both")
    assert log.status == "success"
    assert log.samples is not None
    assert {sample.id: score(sample)["success"] for sample in log.samples} == {
        "stock_room/restock:non_conv": 1,
        "stock_room/restock:conv": 1,
    }
    assert {facts(sample)["ended_by"] for sample in log.samples} == {"completed", "user_stop"}


def test_the_solver_can_be_named_by_itself() -> None:
    assert callable(conv(step_limit=3))
