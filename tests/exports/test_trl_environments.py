"""The environments for TRL, played as its trainer plays them; see test_trl for the trainer."""

import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl import TrlEnvironments
from envscaler_eval.exports.rl.trl import EnvironmentFactory
from envscaler_eval.policies import pieces
from tests.exports.rl_rollouts import stock_room_settings, training_set
from tests.inspect_runs import say
from tests.pack_files import SOURCE, write_pack

ALONE, TALKING = "stock_room:non_conv", "stock_room:conv"
TASK = "stock_room/restock"


def _tools(environment: object) -> dict[str, Callable[..., str]]:
    """The tools, as TRL collects them."""
    return {
        name: getattr(environment, name)
        for name, _ in inspect.getmembers(type(environment), inspect.isfunction)
        if not name.startswith("_") and name not in ("reset", "get_reward")
    }


def _environments(root: Path, **changes: Any) -> TrlEnvironments:
    return TrlEnvironments(stock_room_settings(root, **{"mode": "both", **changes}))


def _row(environments: TrlEnvironments, key: str) -> dict[str, Any]:
    return next(row for row in environments.rows if row["environment"] == key)


def _start(root: Path, key: str, **changes: Any) -> Any:
    """Return an environment that TRL has just reset, by the row that it is for."""
    environments = _environments(root, **changes)
    environment = environments.environment_factory[key]()
    row = _row(environments, key)
    environment.reset(**{name: value for name, value in row.items() if name != "environment"})
    return environment


def test_tools_look_like_methods_written_by_hand(tmp_path: Path) -> None:
    order = _tools(_start(tmp_path, ALONE))["order_item"]
    assert str(inspect.signature(order)) == (
        "(*, item_id: str, priority: Literal['low', 'high'] = 'low') -> str"
    )
    assert inspect.getdoc(order) == (
        "Order more of an item.\n\nArgs:\n    item_id: The item.\n"
        '    priority: How urgent it is. Default: "low".'
    )


def test_an_instance_is_used_again_from_the_start(tmp_path: Path) -> None:
    environment = _start(tmp_path, ALONE)
    tools = _tools(environment)
    assert set(tools) == {"list_items", "take_item", "order_item", "break_down"}
    for _ in range(2):
        assert '"quantity": 10' in tools["list_items"]()
        tools["take_item"](item_id="I-1", quantity=3)
        tools["order_item"](item_id="I-2", priority="high")
        assert environment.get_reward() == 1.0
        environment.reset(task=f"{TASK}:non_conv")


def test_arguments_of_any_kind_reach_the_episode_and_are_judged_there(tmp_path: Path) -> None:
    take = _tools(_start(tmp_path, ALONE))["take_item"]
    assert "'weight' was unexpected" in take(item_id="I-1", quantity=1, weight=2)
    assert "required property" in take()


def test_in_conversation_the_user_speaks_first_and_answers_a_tool(tmp_path: Path) -> None:
    environments = _environments(tmp_path)
    environment = environments.environment_factory[TALKING]()
    told = pieces(environment._training_set.tasks[0].scenario)
    assert environment.reset(**_row(environments, TALKING)) == told[0]
    talk = _tools(environment)["talk_to_user"]
    assert "must be a text" in talk(text="Go on?")
    assert [talk(message="Go on?"), talk(message="Go on?")] == list(told[1:])
    assert "ended the conversation" in talk(message="Done.")
    assert "over" in _tools(environment)["list_items"]()
    assert environment._earned() == 0.0


def test_a_user_without_words_does_not_stop_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = _environments(tmp_path).environment_factory[TALKING]()
    mute = {"custom_outputs": [say("")] * 3, "memoize": False}
    played = training_set(tmp_path, mode="conv", user="mockllm/model", user_args=mute)
    monkeypatch.setattr(type(environment), "_training_set", played)
    assert environment.reset(task=f"{TASK}:conv") is None
    assert "over" in _tools(environment)["list_items"]()
    assert environment._earned() == 0.0


def test_without_a_user_there_is_nobody_to_talk_to(tmp_path: Path) -> None:
    environment = _start(tmp_path, ALONE)
    assert "talk_to_user" not in _tools(environment)
    assert "no tool named" in environment._call("talk_to_user", {"message": "Hello?"})


def test_factories_can_be_sent_to_another_process(tmp_path: Path) -> None:
    factory = _environments(tmp_path).environment_factory[ALONE]
    copy: EnvironmentFactory = pickle.loads(pickle.dumps(factory))
    assert type(copy()) is type(factory())


def test_a_breakdown_is_a_rollout_without_a_reward(tmp_path: Path) -> None:
    write_pack(tmp_path, source=SOURCE.replace("raise RuntimeError(message)", "while True: pass"))
    environment = _start(tmp_path, ALONE, limits={"call_cpu_seconds": 0.2})
    _tools(environment)["break_down"]()
    assert environment.get_reward() is None


def test_a_tool_whose_name_trl_needs_is_refused(tmp_path: Path) -> None:
    write_pack(tmp_path, source=SOURCE.replace("def break_down", "def reset"))
    factory = _environments(tmp_path).environment_factory[ALONE]
    with pytest.raises(UsageError, match="'reset' has a name that TRL needs"):
        factory()


def test_a_tool_before_the_first_reset_is_a_mistake_of_the_trainer(tmp_path: Path) -> None:
    environment = _environments(tmp_path).environment_factory[ALONE]()
    with pytest.raises(UsageError, match="reset"):
        _tools(environment)["list_items"]()


@pytest.mark.parametrize(
    ("last", "ids", "earned"),
    [
        ({"role": "assistant", "content": "Task Completed"}, [7, 2], 1.0),
        ({"role": "assistant", "content": "Task Comp"}, [7, 7], 0.0),
        ({"role": "assistant", "content": "", "tool_calls": [{}]}, [7, 2], 0.0),
        ({"role": "tool", "content": "{}"}, [7, 2], 0.0),
    ],
)
def test_where_limits_cost_the_reward_the_model_must_end_itself(
    tmp_path: Path, last: dict[str, Any], ids: list[int], earned: float
) -> None:
    environment = _start(tmp_path, ALONE, grade_truncated=False)
    assert not hasattr(environment, "get_reward")
    _tools(environment)["take_item"](item_id="I-1", quantity=3)
    _tools(environment)["order_item"](item_id="I-2", priority="high")
    settings = stock_room_settings(tmp_path, grade_truncated=False)
    (reward,) = TrlEnvironments(settings, eos_token_ids=(2,)).reward_funcs
    told = reward(environments=[environment], completions=[[last]], completion_ids=[ids])
    assert told == [earned]
