"""Rollouts over a real OpenEnv server and client, on the loopback."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.exports.rl import RlSettings
from envscaler_eval.exports.rl.folders import write_folder
from envscaler_eval.policies import noop, oracle, pieces
from envscaler_eval.policies.policy import Policy, View
from envscaler_eval.scenario import Scenario
from tests.exports.rl_rollouts import stock_room_settings, training_set

pytest.importorskip("openenv", reason="OpenEnv is not installed; `make test-rl` installs it")

from envscaler_eval.exports.rl.openenv import (
    EnvScalerAction,
    EnvScalerClient,
    make_app,
)

TAKE = EnvScalerAction(tool_name="take_item", arguments={"item_id": "I-1", "quantity": 3})
ORDER = EnvScalerAction(tool_name="order_item", arguments={"item_id": "I-2", "priority": "high"})
DONE = EnvScalerAction(type="say", message="Task Completed")
ALONE, TALKING = "stock_room/restock:non_conv", "stock_room/restock:conv"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stock room is."""
    return tmp_path_factory.mktemp("packs")


@pytest.fixture(scope="module")
def scenario(root: Path) -> Scenario:
    """The stock room's scenario."""
    return training_set(root).tasks[0].scenario


@pytest.fixture(scope="module")
def url(root: Path) -> Iterator[str]:
    """A server for the whole module, so that sessions follow each other."""
    with serving(stock_room_settings(root, mode="both", step_limit=4)) as base:
        yield base


@contextmanager
def serving(settings: RlSettings) -> Iterator[str]:
    """Serve on a free port, in a thread of its own, and give the URL."""
    import uvicorn

    started = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started.set()

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = Server(uvicorn.Config(make_app(settings), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert started.wait(60)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def client(url: str) -> Iterator[Any]:
    """A session."""
    with EnvScalerClient(base_url=url).sync() as session:
        yield session


def _play(client: Any, task: str, policy: Policy) -> Any:
    result = client.reset(task=task)
    heard, step = [result.observation.messages[-1]["content"]], 0
    while not result.done:
        turn = policy(View(step, heard))
        step += 1
        if turn.calls:
            for call in turn.calls:
                action = EnvScalerAction(tool_name=call.name, arguments=call.arguments)
                result = client.step(action)
        else:
            result = client.step(EnvScalerAction(type="say", message=turn.text))
            heard.append(result.observation.text)
    return result


def test_the_oracle_earns_1_and_doing_nothing_0(client: Any, scenario: Scenario) -> None:
    assert _play(client, ALONE, oracle(scenario, "non_conv")).reward == 1.0
    assert _play(client, ALONE, noop()).reward == 0.0


def test_in_conversation_the_user_tells_the_task_and_ends_it(
    root: Path, scenario: Scenario
) -> None:
    with (
        serving(stock_room_settings(root, mode="conv")) as url,
        EnvScalerClient(base_url=url).sync() as client,
    ):
        start = client.reset(task=TALKING)
        assert start.observation.messages[-1]["content"] == pieces(scenario)[0]
        result = _play(client, TALKING, oracle(scenario, "conv"))
        assert (result.reward, client.state().ended_by) == (1.0, "user_stop")
        assert _play(client, TALKING, noop()).reward == 0.0


def test_a_reset_tells_the_prompt_and_the_pack_s_tools(client: Any, scenario: Scenario) -> None:
    start = client.reset(task=ALONE)
    assert start.observation.messages[-1] == {"role": "user", "content": scenario.task}
    names = [tool["function"]["name"] for tool in start.observation.tools]
    assert names == ["list_items", "take_item", "order_item", "break_down"]
    assert "check" not in str(client.state())


def test_errors_of_tools_can_be_recovered_from(client: Any) -> None:
    client.reset(task=ALONE)
    for name in ("no_such_tool", "break_down"):
        result = client.step(EnvScalerAction(tool_name=name))
        assert '"success": false' in result.observation.text
        assert not result.done
    client.step(TAKE)
    assert client.step(ORDER).reward == 1.0


def test_the_last_step_of_the_limit_ends_the_episode(client: Any) -> None:
    client.reset(task=ALONE)
    for _ in range(3):
        assert not client.step(TAKE).done
    ended = client.step(TAKE)
    assert (ended.done, ended.metadata["ended_by"]) == (True, "step_limit")
    after = client.step(ORDER)
    assert (after.done, after.reward) == (True, None)


def test_sessions_start_alike_and_do_not_meet(url: str) -> None:
    async def group() -> list[Any]:
        clients = [EnvScalerClient(base_url=url) for _ in range(8)]
        try:
            await asyncio.gather(*(c.connect() for c in clients))
            starts = await asyncio.gather(*(c.reset(task=ALONE, seed=3) for c in clients))
            assert all(start.observation == starts[0].observation for start in starts)
            looks = []
            for number, client in enumerate(clients):
                await client.step(TAKE if number % 2 else DONE)
                looks.append(await client.step(EnvScalerAction(tool_name="list_items")))
            return looks
        finally:
            await asyncio.gather(*(c.close() for c in clients))

    looks = asyncio.run(group())
    assert all('"quantity": 7' in look.observation.text for look in looks[1::2])


def test_tasks_can_be_listed_and_chosen_by_position_or_seed(url: str, client: Any) -> None:
    import requests

    assert requests.get(f"{url}/envscaler/splits", timeout=9).json() == [
        {"name": "train", "type": "train"}
    ]
    tasks = requests.post(f"{url}/envscaler/tasks", json={"split": "train"}, timeout=9).json()
    assert [task["id"] for task in tasks["tasks"]] == [ALONE, TALKING]
    assert "check" not in str(tasks)
    for choice, task in [({"index": 1}, TALKING), ({"seed": 3}, TALKING), ({}, ALONE)]:
        client.reset(**choice)
        assert client.state().task == task


def test_the_server_meets_openenv_s_own_standard(url: str) -> None:
    from openenv.cli._validation import validate_running_environment

    report = validate_running_environment(url)
    assert report["passed"], report["summary"]


def test_the_exported_package_is_what_openenv_asks_for(root: Path, tmp_path: Path) -> None:
    from openenv.cli._validation import validate_multi_mode_deployment
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser

    out = tmp_path / "stock_envs"
    write_folder("openenv", stock_room_settings(root), out)
    assert OpenEnvYamlParser().parse(out).capabilities.declared_task_count == {"train": 1}
    # The lock file takes a registry that has the package.
    _, issues = validate_multi_mode_deployment(out)
    assert [issue for issue in issues if "uv.lock" not in issue] == []
    program = (
        "from server.app import app, main\n"
        "from stock_envs import EnvScalerClient\n"
        "print(sorted(route.path for route in app.routes))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=out,
        env={"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "'/ws'" in ran.stdout, ran.stderr
