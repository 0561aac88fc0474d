"""Models are shown what the protocol shows, held to its limits, and heard once."""

from pathlib import Path
from typing import Any

from acebench_runs import about, in_turn, run, samples, says, scripted, value
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.tool import ToolCall

WIFI = "[{'status': True, 'message': 'Wi-Fi has been turned on'}]"


def only(name: str, data_dir: str, log_dir: Path, **arguments: Any) -> EvalSample:
    """Run one sample."""
    limits = {"sample_id": name, **arguments.pop("limits", {})}
    return samples(run(data_dir, log_dir, limits=limits, **arguments))[name]


def call(name: str, error: str | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(id=f"id_{name}", function=name, arguments=arguments, parse_error=error)


def dialogue(sample: EvalSample) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in sample.messages]


def test_official_agents_get_the_dialogue_in_one_message(
    miniature_dir: str, tmp_path: Path
) -> None:
    shown: list[list[ChatMessage]] = []

    def script(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        shown.append(list(messages))
        return says("[turn_on_wifi()]" if len(shown) == 1 else "finish conversation")

    sample = only("en/agent_multi_step_0", miniature_dir, tmp_path, model=scripted(script))
    assert [[message.role for message in prompt] for prompt in shown] == [["system", "user"]] * 2
    assert shown[1][1].text.endswith(f"execution result:{WIFI}\n\n")
    assert dialogue(sample)[1:] == [
        ("user", "I am Ada. Tell Ben it is mended; delete the latest message if there is no room."),
        ("assistant", "[turn_on_wifi()]"),
        ("user", WIFI),
        ("assistant", "finish conversation"),
    ]


def test_official_agents_can_be_addressed_in_another_language(
    miniature_dir: str, tmp_path: Path
) -> None:
    arguments = {"model": in_turn([says("finish conversation")]), "agent_language": "zh"}
    sample = only("en/agent_multi_step_0", miniature_dir, tmp_path, **arguments)
    assert dialogue(sample)[0] == ("system", "You work alone (zh).")


def test_users_see_the_conversation_alone_at_a_low_temperature(
    miniature_dir: str, tmp_path: Path
) -> None:
    shown: list[tuple[list[str], float | None]] = []

    def script(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        shown.append(([message.role for message in messages], config.temperature))
        return says("Hello" if len(shown) == 1 else "finish conversation")

    agent = [says("[login_device()]"), says("Anything else?")]
    sample = only(
        "en/agent_multi_turn_0",
        miniature_dir,
        tmp_path,
        model=in_turn(agent),
        user=scripted(script),
    )
    assert shown == [
        (["system", "user"], 0.001),
        (["system", "user", "system", "user"], 0.001),
    ]
    assert about(sample)["ended_by"] == "user_stop"
    assert (about(sample)["steps"], about(sample)["user_messages"]) == (2, 2)


def test_a_users_own_temperature_is_kept(miniature_dir: str, tmp_path: Path) -> None:
    seen: set[float | None] = set()

    def answer(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        seen.add(config.temperature)
        return says("finish conversation")

    user = get_model(
        "mockllm/model",
        memoize=False,
        config=GenerateConfig(temperature=0.5),
        custom_outputs=answer,
    )
    agent = in_turn([says("finish conversation")])
    only("en/agent_multi_turn_0", miniature_dir, tmp_path, model=agent, user=user)
    assert seen == {0.5}


def test_a_user_that_says_nothing_is_a_fault_of_the_user(
    miniature_dir: str, tmp_path: Path
) -> None:
    user = in_turn([says(" ")])
    sample = only("en/agent_multi_turn_0", miniature_dir, tmp_path, user=user)
    assert (about(sample)["ended_by"], value(sample, "end_to_end")) == ("user_fault", 0.0)


def test_the_paper_makes_one_call_a_turn(miniature_dir: str, tmp_path: Path) -> None:
    agent = in_turn(
        [says("Now", call("turn_on_wifi"), call("login_device")), says("Task Completed")]
    )
    arguments = {"model": agent, "protocol": "paper"}
    sample = only("en/agent_multi_step_0", miniature_dir, tmp_path, **arguments)
    assert dialogue(sample)[2:] == [
        ("assistant", "Now"),
        ("tool", WIFI),
        ("assistant", "Task Completed"),
        ("user", "Task finished"),
    ]
    assert (about(sample)["ended_by"], about(sample)["executed"]) == ("completed", 1)


def test_paper_calls_that_cannot_be_read_run_nothing(miniature_dir: str, tmp_path: Path) -> None:
    agent = in_turn([says("", call("turn_on_wifi", error="no JSON")), says("Task Completed")])
    arguments = {"model": agent, "protocol": "paper"}
    sample = only("en/agent_multi_step_0", miniature_dir, tmp_path, **arguments)
    assert [role for role, _ in dialogue(sample)[2:]] == ["assistant", "tool", "assistant", "user"]
    assert (about(sample)["steps"], about(sample)["executed"]) == (2, 0)


def test_paper_agents_have_twenty_actions(miniature_dir: str, tmp_path: Path) -> None:
    agent = in_turn([says("", call("nothing_of_the_kind", x=1))])
    arguments = {"model": agent, "protocol": "paper"}
    sample = only("en/agent_multi_step_0", miniature_dir, tmp_path, **arguments)
    assert (about(sample)["steps"], about(sample)["ended_by"]) == (20, "step_limit")
    assert dialogue(sample)[-1] == ("tool", "['No matching function found']")


def test_paper_agents_are_told_the_rules_of_multi_turn_tasks(
    miniature_dir: str, tmp_path: Path
) -> None:
    told = {
        kind: dialogue(only(f"en/agent_multi_{kind}_0", miniature_dir, tmp_path, protocol="paper"))
        for kind in ("step", "turn")
    }
    assert "Phone well." not in told["step"][0][1]
    assert told["turn"][0][1].endswith('Phone well.\n\nSay "finish conversation" at the end.')


def test_what_ends_a_dialogue_early_is_told_and_the_state_is_scored(
    miniature_dir: str, tmp_path: Path
) -> None:
    calls = [says("[login_device()]"), says("[delete_message(message_id=1)]"), says("Done.")]
    arguments: dict[str, Any] = {"model": in_turn(calls), "limits": {"token_limit": 9}}
    user = in_turn([says("Hello"), says("And now?")])
    sample = only("en/agent_multi_turn_0", miniature_dir, tmp_path, user=user, **arguments)
    assert (about(sample)["ended_by"], value(sample, "end_to_end")) == ("token_limit", 1.0)

    agent = in_turn([says("", stop="model_length")])
    for protocol in ("official", "paper"):
        arguments = {"model": agent, "protocol": protocol}
        sample = only("en/agent_multi_step_0", miniature_dir, tmp_path, **arguments)
        assert (about(sample)["ended_by"], about(sample)["steps"]) == ("context_length", 0)
