"""The real benchmark: every vector that the original made, and known scores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.benchmarks import tau_bench
from envscaler_eval.benchmarks.tau_bench import data
from envscaler_eval.benchmarks.tau_bench.canonical import state_hash
from envscaler_eval.benchmarks.tau_bench.protocol import MAX_STEPS

DOMAINS = ("retail", "airline")
Golden = Callable[[str], Any]

NOOP_SUCCESSES = {
    "retail": [10, 12, 25, 50, 57, 65, 106],
    "airline": [12, 13, 15, 17, 18, 21, 24, 29, *range(35, 43), 47, 48, 49],
}


def test_the_data_is_the_pinned_one(data_dir: Path) -> None:
    data.check(data.locate(data_dir))


@pytest.mark.parametrize("domain", DOMAINS)
def test_an_untouched_world_hashes_as_the_original(
    domain: str, data_dir: Path, golden: Golden
) -> None:
    world = tau_bench.open_world(domain, data_dir)
    base = golden(f"{domain}_gt_test")["base_hash"]
    assert world.data_hash() == base
    assert state_hash(world.state()) == base


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_tasks_own_actions_give_the_original_observations_hashes_and_rewards(
    domain: str, data_dir: Path, golden: Golden
) -> None:
    for vector in golden(f"{domain}_gt_test")["tasks"]:
        index = vector["task_index"]
        task = tau_bench.tasks(domain, "test", data_dir)[index]
        script = tau_bench.oracle_script(task)
        world = tau_bench.open_world(domain, data_dir)
        # The vectors leave out the actions that end a trial.
        assert [world.call(*call) for call in script.calls] == vector["observations"], index
        assert world.data_hash() == vector["data_hash"], index
        assert (world.data_hash() != tau_bench.open_world(domain, data_dir).data_hash()) == (
            vector["changes_db"]
        )
        rewards = [
            tau_bench.grade(domain, "test", index, calls, replies, data_dir).reward
            for calls, replies in (
                (script.calls, [script.reply]),
                ([], ["Sorry."]),
                ([("transfer_to_human_agents", {"summary": ""})], []),
            )
        ]
        assert rewards == [
            vector["gt_reward"],
            vector["do_nothing_reward"],
            vector["transfer_at_once_reward"],
        ], index


@pytest.mark.parametrize("domain", DOMAINS)
def test_random_calls_give_the_original_observations_and_hashes(
    domain: str, data_dir: Path, golden: Golden
) -> None:
    for number, vector in enumerate(golden(f"{domain}_fuzz")):
        world = tau_bench.open_world(domain, data_dir)
        observations = [world.call(name, arguments) for name, arguments in vector["calls"]]
        assert observations == vector["observations"], number
        assert world.data_hash() == vector["data_hash"], number


@pytest.mark.parametrize(
    ("domain", "split", "count"),
    [
        ("retail", "test", 115),
        ("retail", "dev", 20),
        ("retail", "train", 500),
        ("airline", "test", 50),
    ],
)
def test_the_oracle_earns_every_reward(domain: str, split: str, count: int, data_dir: Path) -> None:
    tasks = tau_bench.tasks(domain, split, data_dir)
    assert len(tasks) == count
    for task in tasks:
        script = tau_bench.oracle_script(task)
        assert len(script.calls) < MAX_STEPS
        graded = tau_bench.grade(domain, split, task.index, script.calls, [script.reply], data_dir)
        assert graded.reward == 1.0, (task.index, graded)


@pytest.mark.parametrize("domain", DOMAINS)
def test_doing_nothing_earns_exactly_the_known_rewards(domain: str, data_dir: Path) -> None:
    reply = tau_bench.noop_script().reply
    earned = [
        task.index
        for task in tau_bench.tasks(domain, "test", data_dir)
        if tau_bench.grade(domain, "test", task.index, [], [reply], data_dir).reward == 1.0
    ]
    assert earned == NOOP_SUCCESSES[domain]


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_declared_tools_are_the_implemented_ones(domain: str, data_dir: Path) -> None:
    loaded = tau_bench.load(domain, data_dir)
    assert [tool.name for tool in loaded.tools] == list(loaded.functions)
    for tool in loaded.tools:
        missing = tau_bench.open_world(domain, data_dir).call(tool.name, {})
        for parameter in tool.parameters["required"]:
            assert f"'{parameter}'" in missing
