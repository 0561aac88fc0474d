"""Rollouts by verifiers v1, whose model is a policy behind a loopback server."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.exports.rl import RlSettings
from envscaler_eval.exports.rl.folders import write_folder
from envscaler_eval.policies import Turn, noop, oracle, pieces, scripted
from envscaler_eval.policies.policy import Policy, View
from envscaler_eval.scenario import Scenario, ToolCall
from tests.exports.chat_server import ContextOverflow, chat_server
from tests.exports.rl_rollouts import stock_room_settings, training_set

vf = pytest.importorskip(
    "verifiers.v1", reason="verifiers is not installed; `make test-rl` installs it"
)

TAKE = ToolCall(name="take_item", arguments={"item_id": "I-1", "quantity": 3})
ORDER = ToolCall(name="order_item", arguments={"item_id": "I-2", "priority": "high"})
LOOK = ToolCall(name="list_items")
FAULTS = {
    "no tool named 'no_such_tool'": ToolCall(name="no_such_tool"),
    "is a required property": ToolCall(name="take_item", arguments={"item_id": "I-1"}),
    "'quantity': ": ToolCall(name="take_item", arguments={"item_id": "I-1", "quantity": "three"}),
    "raised RuntimeError": ToolCall(name="break_down"),
}
"""What goes wrong, by what is told of it."""
STEPS = 8
PACKAGE = "envscaler_stock"
REPOSITORY = Path(__file__).parents[2]


def _outgrows_its_context(view: View) -> Turn:
    if view.step == 2:
        raise ContextOverflow
    return Turn(calls=((TAKE, ORDER)[view.step],))


def _acts(*calls: ToolCall) -> Policy:
    return scripted(*(Turn(calls=(call,)) for call in calls), Turn("Task Completed"))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stock room is."""
    return tmp_path_factory.mktemp("packs")


@pytest.fixture(scope="module")
def settings(root: Path) -> RlSettings:
    """Both modes, few steps, and nothing for running into the limit."""
    return stock_room_settings(root, mode="both", step_limit=STEPS, grade_truncated=False)


@pytest.fixture(scope="module")
def scenario(settings: RlSettings, root: Path) -> Scenario:
    """The stock room's scenario."""
    return training_set(root).tasks[0].scenario


@pytest.fixture(scope="module")
def exported(settings: RlSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The exported folder; its package can be imported, also by processes started from here."""
    folder = tmp_path_factory.mktemp("exports") / PACKAGE
    write_folder("verifiers", settings, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", f"{folder}:{REPOSITORY}")
        yield folder


class Players:
    """Lets each rollout play one of the policies that are for its mode."""

    def __init__(self, scenario: Scenario, **policies: Policy) -> None:
        """Say who plays; the names of those that talk begin with `talking`."""
        self._task = scenario.task
        self._policies = policies
        self.playing: dict[str, str] = {}

    def reply(self, rollout: str, messages: list[dict[str, Any]]) -> Turn:
        """Return the next turn of whoever plays a rollout."""
        heard = [message["content"] for message in messages if message["role"] == "user"]
        if rollout not in self.playing:
            talks = heard[0] != self._task
            free = [n for n in self._policies if n not in self.playing.values()]
            self.playing[rollout] = next(n for n in free if n.startswith("talking") == talks)
        step = sum(message["role"] == "assistant" for message in messages)
        return self._policies[self.playing[rollout]](View(step, heard))


@pytest.fixture(scope="module")
def traces(exported: Path, scenario: Scenario) -> dict[str, Any]:
    """What verifiers made of all of these, playing at once: traces by who played."""
    players = Players(
        scenario,
        oracle=oracle(scenario, "non_conv"),
        noop=noop(),
        recovers=_acts(*FAULTS.values(), TAKE, ORDER),
        takes=_acts(TAKE, LOOK),
        **{f"looks_{number}": _acts(LOOK) for number in range(8)},
        too_long=_acts(TAKE, ORDER, *[LOOK] * STEPS),
        outgrows=_outgrows_its_context,
        talking_oracle=oracle(scenario, "conv"),
        talking_noop=noop(),
    )
    config = vf.resolve_env_config({"taskset": {"id": PACKAGE}})

    async def play(url: str) -> list[Any]:
        environment = vf.load_environment(config)
        alone, talking = list(environment.taskset)
        context = vf.ModelContext(
            model="policy", client=vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
        )
        slots = [*environment.slots(alone, 14), *environment.slots(talking, 2)]
        async with environment.serving():
            runs = (environment.run_slot(slot, context) for slot in slots)
            return [episode.traces[0] for episode in await asyncio.gather(*runs)]

    with chat_server(players.reply) as url:
        found = asyncio.run(play(url))
    for trace in found:
        assert not trace.errors, trace.errors[0].message
    return {players.playing[trace.id]: trace for trace in found}


def test_the_oracle_earns_1_and_doing_nothing_0(traces: dict[str, Any]) -> None:
    assert traces["oracle"].task.key == "stock_room/restock:non_conv"
    assert (traces["oracle"].reward, traces["noop"].reward) == (1.0, 0.0)


def test_in_conversation_the_user_tells_the_task_and_ends_it(
    traces: dict[str, Any], scenario: Scenario
) -> None:
    trace = traces["talking_oracle"]
    assert (trace.reward, traces["talking_noop"].reward) == (1.0, 0.0)
    assert trace.stop_condition == traces["talking_noop"].stop_condition == "user_closed"
    said = [message.content for message in trace.messages if message.role == "user"]
    assert said == list(pieces(scenario))[: len(said)]


def test_errors_of_tools_can_be_recovered_from(traces: dict[str, Any]) -> None:
    assert traces["recovers"].reward == 1.0
    told = [message.content for message in traces["recovers"].tool_messages]
    for words, content in zip(FAULTS, told, strict=False):
        assert words in content


def test_only_the_pack_s_tools_are_offered_under_their_own_names(traces: dict[str, Any]) -> None:
    offered = [tool.name for tool in traces["noop"].tools]
    assert offered == ["list_items", "take_item", "order_item", "break_down"]


def test_a_group_starts_from_one_state_and_does_not_meet(traces: dict[str, Any]) -> None:
    seen = {traces[f"looks_{number}"].tool_messages[-1].content for number in range(8)}
    assert len(seen) == 1
    assert '"quantity": 7' in traces["takes"].tool_messages[-1].content
    assert '"quantity": 7' not in seen.pop()


def test_the_step_limit_ends_a_rollout_without_reward(traces: dict[str, Any]) -> None:
    trace = traces["too_long"]
    assert (trace.stop_condition, trace.num_turns, trace.reward) == ("step_limit", STEPS, 0.0)


def test_a_conversation_that_outgrows_the_model_is_truncated_and_no_fault(
    traces: dict[str, Any],
) -> None:
    trace = traces["outgrows"]
    assert (trace.stop_condition, trace.num_turns, trace.reward) == ("context_length", 2, 0.0)


def test_a_truncated_rollout_is_graded_where_that_is_asked_for(
    traces: dict[str, Any], exported: Path
) -> None:
    config = vf.resolve_env_config(
        {"taskset": {"id": PACKAGE, "task": {"settings": {"grade_truncated": True}}}}
    )
    settings = config.taskset.task.settings
    assert (settings.grade_truncated, settings.step_limit) == (True, STEPS)
    task = next(iter(vf.load_taskset(config.taskset)))
    assert asyncio.run(task.reward(traces["too_long"])) == 1.0


def test_verifiers_validates_tasks_by_their_solutions(exported: Path) -> None:
    config = vf.resolve_env_config({"taskset": {"id": PACKAGE}})
    for task in vf.load_taskset(config.taskset):
        assert asyncio.run(task.validate(None)) is True


@pytest.mark.parametrize("bound", [{"live_episodes": 1}, {"idle_seconds": 0.0}])
def test_an_episode_that_the_server_has_dropped_is_played_again(
    settings: RlSettings, bound: dict[str, Any]
) -> None:
    from envscaler_eval.exports.rl.verifiers_v1.state import RolloutState
    from envscaler_eval.exports.rl.verifiers_v1.toolset import RolloutToolset, RolloutToolsetConfig

    class Server(RolloutToolset):
        """A tool server whose caller is at hand."""

        caller: RolloutState

        @property
        def state(self) -> RolloutState:
            """The state of the rollout that calls."""
            return self.caller

    async def calls() -> str:
        server = Server(RolloutToolsetConfig(settings=settings, **bound))
        await server.setup()
        first, second = (
            RolloutState(task="stock_room/restock:non_conv", episode=number) for number in "12"
        )
        answer = None
        for server.caller, call in ((first, TAKE), (second, LOOK), (first, LOOK)):
            answer = await server.call_tool(call.name, dict(call.arguments))
        return str(answer)

    assert '"quantity": 7' in asyncio.run(calls()).replace("\\", "")


def test_the_command_of_verifiers_runs_the_exported_package(
    exported: Path, scenario: Scenario, tmp_path: Path
) -> None:
    players = Players(scenario, oracle=oracle(scenario, "non_conv"))
    with chat_server(players.reply) as url:
        options = ["-n", "1", "--no-push", "--model", "policy", "--client.base-url", url]
        ran = subprocess.run(
            [Path(sys.executable).with_name("vf-eval"), PACKAGE, *options],
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    (record,) = tmp_path.glob("outputs/*/traces.jsonl")
    (trace,) = json.loads(record.read_text(encoding="utf-8"))["traces"]
    assert trace["rewards"]["reward"]["score"] == 1.0
