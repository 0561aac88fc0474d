"""How many episodes a second the library's environments give in this process.

An episode is: start, ten calls, and a grade by eight checks, on a state of 30
KB. Each environment of the library plays its first scenario, whose state,
solution and checks are brought to that size. Beside each stand what its tools
alone take for the calls, and EnvScaler's published way of working, rebuilt below:
every step takes deep copies of the state and a recursive difference, and every
check is compiled and executed with copies of its own (EnvScaler, arXiv
2601.05808, interact_with_env). Prints JSON with the CPU microseconds of each part.
"""

import copy
import json
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from statistics import mean, median
from types import CodeType
from typing import Any

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode
from envscaler_eval.pack import Pack, find_packs, read_pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.runtime.determinism import Clock, DeterministicModules
from envscaler_eval.scenario import Check, Scenario
from envscaler_eval.state import State, canonical, snapshot

STATE_BYTES = 30_000
CALLS = 10
CHECKS = 8
EPISODES = 200
ROUNDS = 7


def padded(scenario: Scenario) -> Scenario:
    """Return a scenario with ten calls, eight checks and a state of 30 KB.

    The padding repeats the state's own records under an attribute that no tool
    reads, so that its values are of the usual kinds. Like a state that was read
    from a file, it shares no values with them.
    """
    state = dict(scenario.state)
    records = [value for value in state.values() if isinstance(value, dict)]
    padding: dict[str, Any] = {}
    for number, record in enumerate(islice(cycle(records), 1000)):
        state["archive"] = padding
        missing = STATE_BYTES - len(canonical(state))
        if missing <= 0:
            break
        kept: dict[str, Any] = {}
        for key, value in record.items():
            kept[key] = value
            if len(canonical(kept)) >= missing:
                break
        padding[f"copy_{number}"] = kept
    return Scenario.model_validate(
        {
            **scenario.model_dump(),
            "state": json.loads(json.dumps(state)),
            "solution": [c.model_dump() for c in islice(cycle(scenario.solution), CALLS)],
            "checks": [c.model_dump() for c in islice(cycle(scenario.checks), CHECKS)],
            "alternatives": [],
        }
    )


def instance_of(program: str | CodeType, environment: Environment, now: str, state: State) -> Any:
    """Execute a program at a scenario's time and give the instance its state."""
    namespace: dict[str, Any] = {"__builtins__": DeterministicModules(Clock(now), "").builtins}
    exec(program, namespace)
    instance = namespace[environment.class_name]({})
    for key, value in state.items():
        setattr(instance, key, value)
    return instance


class PublishedEpisode:
    """An episode in EnvScaler's way: copies, differences and exec at every turn."""

    def __init__(self, environment: Environment, scenario: Scenario) -> None:
        """Start at the beginning of a scenario."""
        state = copy.deepcopy(scenario.state)
        self.instance = instance_of(environment.source, environment, scenario.now, state)
        self.initial = copy.deepcopy(vars(self.instance))

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Call a tool between two snapshots and compare them."""
        before = copy.deepcopy(vars(self.instance))
        try:
            observation = str(getattr(self.instance, name)(**arguments))
        except Exception as fault:
            observation = str(fault)
        difference(before, copy.deepcopy(vars(self.instance)))
        return observation

    def grade(self, checks: tuple[Check, ...]) -> float:
        """Execute each check anew on copies."""
        passed = 0
        for check in checks:
            namespace: dict[str, Any] = {}
            exec(check.code, namespace)
            function = [value for value in namespace.values() if callable(value)][-1]
            try:
                initial = copy.deepcopy(self.initial)
                passed += function(initial, copy.deepcopy(vars(self.instance))) is True
            except Exception:
                continue
        return passed / len(checks)


def difference(before: Any, after: Any, path: str = "") -> list[str]:
    """Return the paths at which two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            place
            for key in {**before, **after}
            for place in difference(before.get(key), after.get(key), f"{path}.{key}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            place
            for index, pair in enumerate(zip(before, after, strict=True))
            for place in difference(*pair, f"{path}[{index}]")
        ]
    return [] if before == after else [path]


def timed(
    start: Callable[[], Any],
    act: Callable[[Any], None],
    grade: Callable[[Any], None],
    episodes: int,
) -> dict[str, float]:
    """Return the median CPU microseconds of each part of an episode."""
    rounds: list[tuple[float, float, float]] = []
    for _ in range(ROUNDS):
        parts = [0.0, 0.0, 0.0]
        for _ in range(episodes):
            moments = [time.process_time()]
            episode = start()
            moments.append(time.process_time())
            act(episode)
            moments.append(time.process_time())
            grade(episode)
            moments.append(time.process_time())
            for index in range(3):
                parts[index] += moments[index + 1] - moments[index]
        rounds.append((parts[0] / episodes, parts[1] / episodes, parts[2] / episodes))
    started, acted, graded = (median(column) * 1e6 for column in zip(*rounds, strict=True))
    total = started + acted + graded
    return {
        "start_us": round(started, 1),
        "ten_calls_us": round(acted, 1),
        "grade_us": round(graded, 1),
        "episode_us": round(total, 1),
        "episodes_per_s": round(1e6 / total, 1),
    }


def measured(pack: Pack) -> dict[str, Any]:
    """Measure an environment in both ways, on the same scenario."""
    environment, scenario = pack.environment, padded(pack.scenarios[0])
    runtime = InProcessRuntime(environment)

    def instance() -> Any:
        state = snapshot(scenario.state)
        return instance_of(environment.code, environment, scenario.now, state)

    def use_tools(instance: Any) -> None:
        for call in scenario.solution:
            getattr(instance, call.name)(**call.arguments)

    def play(episode: Episode | PublishedEpisode) -> None:
        for call in scenario.solution:
            episode.call(call.name, dict(call.arguments))

    def finish(episode: Episode) -> None:
        episode.grade()
        episode.close()

    ours = timed(lambda: Episode(scenario, runtime), play, finish, EPISODES)
    published = timed(
        lambda: PublishedEpisode(environment, scenario),
        play,
        lambda episode: episode.grade(scenario.checks),
        max(1, EPISODES // 50),
    )
    tools = timed(instance, use_tools, lambda _: None, EPISODES)
    return {
        "state_bytes": len(canonical(scenario.state)),
        "tools_alone_us": tools["ten_calls_us"],
        "envscaler_eval": ours,
        "published_way": {**published, "step_us": round(published["ten_calls_us"] / CALLS, 1)},
        "times_faster": round(published["episode_us"] / ours["episode_us"], 1),
    }


def main() -> None:
    """Measure the library."""
    environments = {folder.name: measured(read_pack(folder)) for folder in find_packs()}
    times = [entry["envscaler_eval"]["episode_us"] for entry in environments.values()]
    tools = [entry["tools_alone_us"] for entry in environments.values()]
    result = {
        "calls": CALLS,
        "checks": CHECKS,
        "environments": environments,
        "library": {
            "episode_us": round(mean(times), 1),
            "tools_alone_us": round(mean(tools), 1),
            "episodes_per_s": round(1e6 / mean(times), 1),
            "slowest_per_s": round(1e6 / max(times), 1),
            "fastest_per_s": round(1e6 / min(times), 1),
            "times_faster": round(mean(e["times_faster"] for e in environments.values()), 1),
        },
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
