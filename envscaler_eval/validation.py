"""Validating a pack by running it: does it hold what a pack must hold?"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from envscaler_eval.episode import Episode, Grade
from envscaler_eval.isolation import IsolationPolicy, isolation_choice
from envscaler_eval.pack import Pack, PackError, read_pack
from envscaler_eval.policies import RandomCalls, play
from envscaler_eval.policies.random_calls import CALLS
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.runtime.gate import violations
from envscaler_eval.scenario import Scenario, ToolCall

HASH_SEEDS = ("1", "2")
"""Two values of PYTHONHASHSEED under which sets of strings have different orders."""


def validate_pack(folder: Path, isolation: IsolationPolicy | None = None) -> list[str]:
    """Return what is wrong with a pack, one line each; an empty list when it is sound.

    Each scenario is started, judged at once (goals must be false, guards true),
    solved by its solution and by its alternatives (all must hold), and traced in
    two processes with different hash seeds (the traces must agree).

    Args:
        folder: The pack.
        isolation: Where it runs; by default isolated unless it is of the library.

    Raises:
        UsageError: This machine cannot isolate it.
    """
    isolation = isolation or IsolationPolicy()
    try:
        pack = read_pack(folder)
    except PackError as fault:
        return [str(fault)]
    if isolation.isolates(pack) and (refused := list(_gate_faults(pack))):
        return refused
    runtime = isolation.runtime(pack)
    faults = [
        f"{folder.name}/scenarios.yaml: scenario '{scenario.id}': {fault}"
        for scenario in pack.scenarios
        for fault in _scenario_faults(scenario, runtime)
    ]
    return faults or _determinism_faults(pack, isolation)


def _gate_faults(pack: Pack) -> Iterator[str]:
    name = pack.folder.name
    for violation in violations(pack.environment.source, pack.environment.scratch):
        yield f"{name}/environment.py: {violation}"
    for scenario in pack.scenarios:
        for number, check in enumerate(scenario.checks, start=1):
            for violation in violations(check.code):
                yield (
                    f"{name}/scenarios.yaml: scenario '{scenario.id}': check {number} "
                    f"({check.about}) {violation}"
                )


def _scenario_faults(scenario: Scenario, runtime: Runtime) -> Iterator[str]:
    try:
        yield from _start_faults(scenario, runtime)
        yield from _solution_faults("the solution", scenario, scenario.solution, runtime)
        for number, calls in enumerate(scenario.alternatives, start=1):
            yield from _solution_faults(f"alternative {number}", scenario, calls, runtime)
    except EnvironmentFault as fault:
        yield f"{fault}; repair the environment or the state"


def _start_faults(scenario: Scenario, runtime: Runtime) -> Iterator[str]:
    with Episode(scenario, runtime) as episode:
        grade = episode.grade()
    yield from _broken_checks(grade)
    for number, check in enumerate(grade.checks, start=1):
        if check.kind == "goal" and check.passed:
            yield (
                f"check {number} ({check.about}) is a goal and true at the start; "
                "ask for what the request changes, or make it a guard"
            )
        if check.kind == "guard" and not check.passed and not check.broken:
            yield (
                f"check {number} ({check.about}) is a guard and false at the start; "
                "ask for what must stay true, or make it a goal"
            )


def _solution_faults(
    label: str, scenario: Scenario, calls: tuple[ToolCall, ...], runtime: Runtime
) -> Iterator[str]:
    if not calls:
        # Imported scenarios, whose implicit guard is off, come without solutions.
        if scenario.checks and scenario.collateral:
            yield f"{label} is empty; write down the calls that solve the scenario"
        return
    with Episode(scenario, runtime) as episode:
        for number, call in enumerate(calls, start=1):
            observation = episode.call(call.name, call.arguments)
            if episode.calls[-1].status != "ok":
                yield f"{label} call {number} ({call.name}) fails: {observation}"
        grade = episode.grade()
    yield from _broken_checks(grade)
    for number, check in enumerate(grade.checks, start=1):
        if not check.passed and not check.broken:
            yield f"{label} leaves check {number} ({check.about}) false; repair one of the two"
    if grade.collateral:
        yield (
            f"{label} changes {', '.join(grade.collateral)}, which is collateral; "
            "list it in may_change or leave it alone"
        )


def _broken_checks(grade: Grade) -> Iterator[str]:
    for number, check in enumerate(grade.checks, start=1):
        if check.broken:
            yield f"check {number} ({check.about}) {check.broken}"


def _determinism_faults(pack: Pack, isolation: IsolationPolicy) -> list[str]:
    first, second = (trace_in_process(pack.folder, seed, isolation) for seed in HASH_SEEDS)
    return [
        f"{pack.info.id}/environment.py: scenario '{scenario}' goes differently in another "
        "process; sort sets before they reach the state or an observation"
        for scenario in first
        if first[scenario] != second[scenario]
    ]


def trace_in_process(
    folder: Path, hash_seed: str, isolation: IsolationPolicy | None = None
) -> dict[str, str]:
    """Return `trace_pack` of a process of its own with a given hash seed.

    Args:
        folder: The pack.
        hash_seed: The value of PYTHONHASHSEED.
        isolation: Where it runs; by default isolated unless it is of the library.

    Raises:
        PackError: The process fails.
    """
    isolation = isolation or IsolationPolicy()
    arguments = [str(folder.resolve()), isolation.choice, str(isolation.allow_weak)]
    finished = subprocess.run(
        [sys.executable, "-m", "envscaler_eval.validation", *arguments],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise PackError(f"{folder.name}: tracing it failed: {finished.stderr.strip()[-300:]}")
    traces: dict[str, str] = json.loads(finished.stdout)
    return traces


def trace_pack(folder: Path, isolation: IsolationPolicy) -> dict[str, str]:
    """Return a hash of everything that the solution and a random policy see, by scenario."""
    pack = read_pack(folder)
    runtime = isolation.runtime(pack)
    return {scenario.id: _trace(scenario, runtime) for scenario in pack.scenarios}


def _trace(scenario: Scenario, runtime: Runtime) -> str:
    digest = hashlib.sha256()
    with Episode(scenario, runtime) as episode:
        for call in scenario.solution:
            digest.update(episode.call(call.name, call.arguments).encode())
        digest.update(episode.grade().state_hash.encode())
    with Episode(scenario, runtime) as episode:
        play(RandomCalls(episode.tools, scenario.name), episode, CALLS)
        digest.update(json.dumps([[c.name, c.arguments] for c in episode.calls]).encode())
        digest.update(episode.grade().state_hash.encode())
    return digest.hexdigest()


if __name__ == "__main__":
    place, choice, allow_weak = sys.argv[1:]
    policy = IsolationPolicy(choice=isolation_choice(choice), allow_weak=allow_weak == "True")
    print(json.dumps(trace_pack(Path(place), policy)))
