"""The rules of the EnvScaler paper, beside ours."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample

from envscaler_eval.solvers.protocol import PROTOCOLS
from tests.inspect_runs import ORDER, TAKE, call, facts, model, observations, only, run, say, score

DONE = say("Task Completed")


def _run(pack: Path, log_dir: Path, *turns: Any, **args: Any) -> EvalSample:
    return only(run(pack, model(*turns), log_dir, protocol="paper", **args))


def test_observations_are_python_text(pack_folder: Path, tmp_path: Path) -> None:
    sample = _run(pack_folder, tmp_path, say("", TAKE), DONE)
    assert observations(sample) == ["{'success': True, 'left': 7}"]


def test_only_the_first_call_of_a_turn_is_made(pack_folder: Path, tmp_path: Path) -> None:
    sample = _run(pack_folder, tmp_path, say("", TAKE, ORDER), DONE)
    assert facts(sample)["calls"] == 1
    assistant = next(message for message in sample.messages if message.role == "assistant")
    assert len(assistant.tool_calls or []) == 1


def test_an_exception_in_a_tool_ends_the_episode_with_nothing(
    pack_folder: Path, tmp_path: Path
) -> None:
    sample = _run(
        pack_folder, tmp_path, say("", TAKE), say("", ORDER), say("", call("break_down")), DONE
    )
    assert facts(sample)["ended_by"] == "error"
    assert score(sample) == {"reward": 0, "success": 0, "paper_reward": 0}
    assert [check["passed"] for check in facts(sample)["checks"]] == [True, True, True]


def test_arguments_reach_the_tool_as_given(pack_folder: Path, tmp_path: Path) -> None:
    sample = _run(pack_folder, tmp_path, say("", call("take_item", item_id="I-1")), DONE)
    assert facts(sample)["tool_errors"]["raised"] == 1
    assert facts(sample)["ended_by"] == "error"


def test_reward_needs_a_proper_ending(pack_folder: Path, tmp_path: Path) -> None:
    turns = say("", TAKE), say("", ORDER), say("", call("list_items"))
    sample = _run(pack_folder, tmp_path, *turns, step_limit=5)
    assert facts(sample)["ended_by"] == "step_limit"
    assert score(sample) == {"reward": 0, "success": 0, "paper_reward": 0}
    ended = _run(pack_folder, tmp_path, say("", TAKE), say("", ORDER), DONE)
    assert score(ended) == {"reward": 1, "success": 1, "paper_reward": 1}


def test_thirty_and_forty_steps_are_the_limits(pack_folder: Path, tmp_path: Path) -> None:
    sample = _run(pack_folder, tmp_path, say("", call("list_items")))
    assert facts(sample)["steps"] == 30
    log = run(
        pack_folder,
        model(say("", call("list_items"))),
        tmp_path,
        model(say("# Thought:\nNow.\n# Reply:\nGo.")),
        protocol="paper",
        mode="conv",
    )
    assert facts(only(log))["steps"] == 40


def test_the_prompt_does_not_tell_the_time(pack_folder: Path, tmp_path: Path) -> None:
    system = _run(pack_folder, tmp_path, DONE).messages[0].text
    assert "2026-03-09" not in system
    assert "Call one tool in each step." in system


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_oracle_succeeds_under_every_protocol(
    protocol: str, pack_folder: Path, tmp_path: Path
) -> None:
    log = run(pack_folder, "policy/oracle", tmp_path, "policy/user", mode="both", protocol=protocol)
    assert log.samples is not None
    assert [score(sample)["success"] for sample in log.samples] == [1, 1]
