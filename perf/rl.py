"""How many episodes at once, and how many a second, the adapters to trainers sustain.

An episode is a start, the reference solution, the last words and the reward; the
model takes no time. All episodes of a measurement are alive at once. Each library
is measured in the environment that `make test-rl` makes for it; what is not
installed is left out. Prints JSON.
"""

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from envscaler_eval.exports.rl import RlSettings, TrainingSet, TrlEnvironments
from envscaler_eval.exports.rl.folders import write_folder
from envscaler_eval.policies import Turn, View, oracle
from envscaler_eval.scenario import Scenario

SETTINGS = RlSettings(envs=("hotel_operations",))
ROOT = Path(__file__).parents[1]
LIBRARIES = ("openenv", "verifiers")


def figures(episodes: int, seconds: float, rewards: list[float]) -> dict[str, Any]:
    """Return what was measured; every episode must have earned all."""
    assert rewards == [1.0] * episodes, rewards
    return {
        "episodes_at_once": episodes,
        "seconds": round(seconds, 2),
        "episodes_per_second": round(episodes / seconds, 1),
    }


def rollouts(episodes: int) -> dict[str, Any]:
    """Rollouts, without a library: what all adapters stand on."""
    chosen = TrainingSet(SETTINGS)
    task = chosen.tasks[0]
    chosen.start(task.name).close()
    start = time.perf_counter()
    playing = [chosen.start(task.name) for _ in range(episodes)]
    for call in task.scenario.solution:
        for rollout in playing:
            rollout.call(call.name, call.arguments)
    for rollout in playing:
        rollout.say("Task Completed")
    rewards = [rollout.reward() for rollout in playing]
    return figures(episodes, time.perf_counter() - start, rewards)


def trl(episodes: int) -> dict[str, Any]:
    """Environments for TRL, called as its trainer calls them: one after the other."""
    environments = TrlEnvironments(SETTINGS)
    row = environments.rows[0]
    factory = environments.environment_factory[row["environment"]]
    scenario = TrainingSet(SETTINGS).tasks[0].scenario
    factory().reset(task=row["task"])
    start = time.perf_counter()
    playing: list[Any] = [factory() for _ in range(episodes)]
    for environment in playing:
        environment.reset(task=row["task"])
    for call in scenario.solution:
        for environment in playing:
            getattr(environment, call.name)(**call.arguments)
    rewards = [environment.get_reward() for environment in playing]
    return figures(episodes, time.perf_counter() - start, rewards)


def openenv(episodes: int) -> dict[str, Any]:
    """Sessions of an OpenEnv server in another process, each with a client of its own."""
    from envscaler_eval.exports.rl.openenv import EnvScalerAction, EnvScalerClient

    scenario = TrainingSet(SETTINGS).tasks[0].scenario
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE)
    assert server.stdout is not None
    port = int(server.stdout.readline())

    async def episode() -> float:
        async with EnvScalerClient(base_url=f"http://127.0.0.1:{port}") as client:
            await client.reset(index=0)
            for call in scenario.solution:
                action = EnvScalerAction(tool_name=call.name, arguments=dict(call.arguments))
                await client.step(action)
            ended = await client.step(EnvScalerAction(type="say", message="Task Completed"))
            return float(ended.reward)

    async def group(size: int) -> list[float]:
        return list(await asyncio.gather(*(episode() for _ in range(size))))

    try:
        asyncio.run(group(1))
        start = time.perf_counter()
        rewards = asyncio.run(group(episodes))
        return figures(episodes, time.perf_counter() - start, rewards)
    finally:
        server.kill()
        server.wait()


def serve() -> None:
    """Serve for `openenv`, and say on which port."""
    import socket

    import uvicorn

    from envscaler_eval.exports.rl.openenv import make_app

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1024)
        print(listening.getsockname()[1], flush=True)
        server = uvicorn.Server(uvicorn.Config(make_app(SETTINGS), log_level="error"))
        server.run(sockets=[listening])


def verifiers(episodes: int) -> dict[str, Any]:
    """Rollouts of verifiers, whose model is a server in this process."""
    import tempfile

    vf: Any = import_module("verifiers.v1")
    sys.path.insert(0, str(ROOT))
    from tests.exports.chat_server import chat_server

    with tempfile.TemporaryDirectory() as folder:
        package = f"envscaler_perf_{os.getpid()}"
        write_folder("verifiers", SETTINGS, Path(folder) / package)
        sys.path.insert(0, str(Path(folder) / package))
        config = vf.resolve_env_config({"taskset": {"id": package}})
        environment = vf.load_environment(config)
        task = next(iter(environment.taskset))
        scenario = TrainingSet(SETTINGS).tasks[0].scenario

        async def group(url: str) -> tuple[float, list[float]]:
            client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
            context = vf.ModelContext(model="policy", client=client)
            async with environment.serving():
                await environment.run_slot(environment.slots(task, 1)[0], context)
                start = time.perf_counter()
                runs = (environment.run_slot(s, context) for s in environment.slots(task, episodes))
                played = await asyncio.gather(*runs)
                seconds = time.perf_counter() - start
            return seconds, [episode.traces[0].reward for episode in played]

        with chat_server(_playing(scenario)) as url:
            seconds, rewards = asyncio.run(group(url))
        return figures(episodes, seconds, rewards)


def _playing(scenario: Scenario) -> Callable[[str, list[dict[str, Any]]], Turn]:
    policy = oracle(scenario, "non_conv")

    def reply(rollout: str, messages: list[dict[str, Any]]) -> Turn:
        return policy(View(sum(message["role"] == "assistant" for message in messages)))

    return reply


def in_its_environment(library: str, episodes: int) -> Any:
    """Measure an adapter with the Python of its library, or `None` where there is none."""
    python = ROOT / f".venv-{library}" / "bin" / "python"
    if not python.exists():
        return None
    ran = subprocess.run(
        [python, __file__, "--adapter", library, "--episodes", str(episodes)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(ran.stdout)


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=300, help="that are alive at once")
    parser.add_argument("--adapter", choices=LIBRARIES, help="only this, in this environment")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
    elif arguments.adapter:
        measure = {"openenv": openenv, "verifiers": verifiers}[arguments.adapter]
        print(json.dumps(measure(arguments.episodes)))
    else:
        measured: dict[str, Any] = {
            "machine": {
                "python": platform.python_version(),
                "cores": os.cpu_count(),
                "load": round(os.getloadavg()[0], 1),
            },
            "calls": len(TrainingSet(SETTINGS).tasks[0].scenario.solution),
            "rollouts": rollouts(arguments.episodes),
            "trl": trl(arguments.episodes),
        }
        for library in LIBRARIES:
            measured[library] = in_its_environment(library, arguments.episodes)
        measured["load_at_end"] = round(os.getloadavg()[0], 1)
        print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()
