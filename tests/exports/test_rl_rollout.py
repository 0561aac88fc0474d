"""Rollouts: what every trainer's adapter drives."""

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.exports.rl import RlSettings, Rollout
from envscaler_eval.policies import STOP, noop, oracle, pieces
from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.solvers.protocol import Mode
from tests.exports.rl_rollouts import play, start
from tests.inspect_runs import say
from tests.pack_files import SOURCE, write_pack

TAKE: dict[str, Any] = {"item_id": "I-1", "quantity": 3}
ORDER: dict[str, Any] = {"item_id": "I-2", "priority": "high"}


@pytest.mark.parametrize("mode", ["non_conv", "conv"])
def test_the_oracle_earns_1_and_doing_nothing_0(tmp_path: Path, mode: Mode) -> None:
    rollout = start(tmp_path, mode=mode)
    assert play(rollout, oracle(rollout.task.scenario, mode)).reward() == 1.0
    assert play(start(tmp_path, mode=mode), noop()).reward() == 0.0


def test_it_runs_isolated_and_offers_the_pack_s_tools_alone(tmp_path: Path) -> None:
    rollout = start(tmp_path)
    assert rollout.isolation.startswith("isolated")
    assert [tool.name for tool in rollout.tools] == [
        "list_items",
        "take_item",
        "order_item",
        "break_down",
    ]
    for name in ("_secret", "__init__", "reset", "grade", "items"):
        assert json.loads(rollout.call(name, {}))["success"] is False
    rollout.close()


def test_faulty_calls_are_observations_and_the_episode_goes_on(tmp_path: Path) -> None:
    rollout = start(tmp_path)
    faults: list[tuple[str, dict[str, Any]]] = [
        ("no_such_tool", {}),
        ("take_item", {"item_id": "I-1"}),
        ("take_item", {"item_id": "I-1", "quantity": "three"}),
        ("take_item", {"item_id": "I-1", "quantity": 99}),
        ("break_down", {}),
    ]
    for name, arguments in faults:
        assert json.loads(rollout.call(name, arguments))["success"] is False
    rollout.call("take_item", TAKE)
    rollout.call("order_item", ORDER)
    rollout.say("Task Completed")
    assert rollout.reward() == 1.0


def test_rollouts_of_a_task_start_alike_whatever_others_did(tmp_path: Path) -> None:
    before, spoilt = start(tmp_path), start(tmp_path)
    spoilt.call("take_item", TAKE)
    after = start(tmp_path)
    assert before.messages == after.messages
    assert before.grade().state_hash == after.grade().state_hash
    assert spoilt.grade().state_hash != after.grade().state_hash


RANDOM = SOURCE.replace(
    '        order_id = f"O-{self.next_order}"',
    "        import random\n        order_id = str(random.random())",
)


def test_chance_depends_on_the_seed_alone(tmp_path: Path) -> None:
    write_pack(tmp_path, source=RANDOM)
    same, again, other = (
        start(tmp_path, seed=seed).call("order_item", ORDER) for seed in (1, 1, 2)
    )
    assert same == again
    assert same != other


def test_nothing_happens_after_the_end(tmp_path: Path) -> None:
    rollout = start(tmp_path)
    rollout.call("take_item", TAKE)
    assert rollout.say("Task Completed") is None
    assert rollout.ended_by == "completed"
    assert "over" in json.loads(rollout.call("order_item", ORDER))["error"]
    assert rollout.reward() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("protocol", "grade_truncated", "earned"),
    [
        ("default", None, 1.0),
        ("default", False, 0.0),
        ("paper", None, 0.0),
        ("paper", True, 1.0),
    ],
)
def test_a_limit_costs_what_the_protocol_or_the_option_says(
    tmp_path: Path, protocol: str, grade_truncated: bool | None, earned: float
) -> None:
    rollout = start(tmp_path, protocol=protocol, grade_truncated=grade_truncated)
    rollout.call("take_item", TAKE)
    rollout.call("order_item", ORDER)
    rollout.end("step_limit")
    assert rollout.reward() == earned


def test_by_the_paper_an_exception_ends_the_episode(tmp_path: Path) -> None:
    rollout = start(tmp_path, protocol="paper")
    rollout.call("take_item", TAKE)
    rollout.call("break_down", {})
    assert (rollout.ended_by, rollout.reward()) == ("error", 0.0)


def test_the_paper_s_reward_is_the_share_of_checks(tmp_path: Path) -> None:
    assert play(start(tmp_path, reward="paper_reward"), noop()).reward() == pytest.approx(1 / 3)


def test_an_environment_that_breaks_down_has_no_reward(tmp_path: Path) -> None:
    loop = SOURCE.replace("raise RuntimeError(message)", "while True: pass")
    write_pack(tmp_path, source=loop)
    rollout = start(tmp_path, limits={"call_cpu_seconds": 0.2})
    assert "stopped" in rollout.call("break_down", {})
    for _ in range(2):
        with pytest.raises(EnvironmentFault, match="processor time"):
            rollout.reward()


def test_the_scripted_user_tells_the_task_in_pieces(tmp_path: Path) -> None:
    rollout = start(tmp_path, mode="conv")
    told = pieces(rollout.task.scenario)
    assert rollout.messages[1] == {"role": "user", "content": told[0]}
    assert [rollout.say("Go on?"), rollout.say("Go on?")] == list(told[1:])
    assert rollout.say("Done.") is None
    assert rollout.ended_by == "user_stop"


def _talking_with(root: Path, *said: str, **changes: Any) -> Rollout:
    """Start a conversation with a model that says these things as the user."""
    outputs = [say(text) for text in said]
    return start(
        root,
        mode="conv",
        user="mockllm/model",
        user_args={"custom_outputs": outputs, "memoize": False},
        **changes,
    )


def test_a_model_can_be_the_user(tmp_path: Path) -> None:
    rollout = _talking_with(tmp_path, "Three bolts, please.", "And nuts.", STOP)
    assert rollout.opening == "Three bolts, please."
    assert rollout.say("What else?") == "And nuts."
    assert rollout.say("Done.") is None
    assert rollout.ended_by == "user_stop"


def test_a_user_without_words_ends_the_episode_improperly(tmp_path: Path) -> None:
    rollout = _talking_with(tmp_path, "Three bolts.", "", " ", "", grade_truncated=False)
    assert rollout.opening
    assert rollout.say("What else?") is None
    assert (rollout.ended_by, rollout.reward()) == ("user_fault", 0.0)


def test_settings_survive_as_json() -> None:
    settings = RlSettings(
        envs=("a",), samples=("a/b:conv",), limits={"call_seconds": 1}, grade_truncated=True
    )
    assert RlSettings.model_validate_json(settings.model_dump_json()) == settings
