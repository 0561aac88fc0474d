"""What the envscaler task costs over a bare Inspect loop.

Both run the same oracle on the same scenarios, with the same tool definitions,
the same observation bytes and one tool event a call. The bare task keeps no
environment: its tools return recorded observations, and nothing is graded. Both
read the packs when the task is built; that, once in a process, is timed apart.
Prints JSON with the CPU seconds of five interleaved runs and their ratio.
"""

import json
import sys
import time
from statistics import median
from typing import Any

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef

from envscaler_eval.episode import Episode
from envscaler_eval.pack import Pack, find_packs, read_pack
from envscaler_eval.policies import oracle
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.solvers.live import LiveSample, enter_sample
from envscaler_eval.solvers.prompts import system_prompt
from envscaler_eval.solvers.protocol import PROTOCOLS
from envscaler_eval.solvers.tools import tool_infos
from envscaler_eval.tasks import envscaler

RUNS = 5
EPOCHS = 3
SCENARIOS_PER_ENV = 2


def recorded(pack: Pack) -> dict[str, list[str]]:
    """Return the observations of each scenario's solution."""
    runtime = InProcessRuntime(pack.environment)
    observations = {}
    for scenario in pack.scenarios:
        with Episode(scenario, runtime) as episode:
            observations[scenario.id] = [
                episode.call(call.name, call.arguments) for call in scenario.solution
            ]
    return observations


@solver
def bare_loop() -> Solver:
    """Play the oracle against recorded observations in Inspect's own loop."""
    packs = {folder.name: read_pack(folder) for folder in find_packs()}
    observations = {name: recorded(pack) for name, pack in packs.items()}
    infos = {name: tool_infos(pack.environment.tools) for name, pack in packs.items()}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        pack = packs[state.metadata["env"]]
        scenario = pack.scenario(state.metadata["scenario"])
        enter_sample(
            LiveSample(
                name=scenario.name,
                epoch=state.epoch,
                policies={"oracle": lambda: oracle(scenario, "non_conv")},
            )
        )
        left = iter(observations[pack.info.id][scenario.id])

        async def execute(**kwargs: Any) -> str:
            return next(left)

        tools = [
            ToolDef(
                execute,
                name=info.name,
                description=info.description,
                parameters=info.parameters,
                max_output=0,
            )
            for info in infos[pack.info.id]
        ]
        prompt = system_prompt(pack.environment, scenario.now, "non_conv", PROTOCOLS["default"])
        state.messages.insert(0, ChatMessageSystem(content=prompt))
        messages, state.output = await get_model().generate_loop(state.messages, tools)
        state.messages.extend(messages)
        return state

    return solve


@scorer(metrics=[mean()])
def unconditional() -> Scorer:
    """Give every sample the same score."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1.0)

    return score


def ours() -> Task:
    """The task, on a part of the library."""
    return envscaler(scenarios_per_env=SCENARIOS_PER_ENV)


@task
def bare() -> Task:
    """The same samples in a bare loop."""
    dataset = ours().dataset
    samples = [Sample(id=s.id, input=s.input, metadata=s.metadata) for s in dataset]
    return Task(dataset=MemoryDataset(samples), solver=bare_loop(), scorer=unconditional())


def cpu_seconds(build: Any, log_dir: str) -> float:
    """Return the CPU time of one evaluation."""
    instance = build()
    start = time.process_time()
    (log,) = eval(
        instance,
        model="policy/oracle",
        epochs=EPOCHS,
        log_dir=log_dir,
        log_realtime=False,
        display="none",
    )
    spent = time.process_time() - start
    assert log.status == "success", log.error
    return spent


def main() -> None:
    """Run both in turn and print the comparison."""
    import tempfile

    start = time.process_time()
    for folder in find_packs():
        read_pack(folder)
    reading = time.process_time() - start
    with tempfile.TemporaryDirectory() as log_dir:
        cpu_seconds(ours, log_dir)
        cpu_seconds(bare, log_dir)
        full, floor = [], []
        for _ in range(RUNS):
            full.append(cpu_seconds(ours, log_dir))
            floor.append(cpu_seconds(bare, log_dir))
    result = {
        "samples": EPOCHS * len(ours().dataset),
        "reading_packs_cpu_s": round(reading, 2),
        "envscaler_cpu_s": [round(value, 2) for value in full],
        "bare_loop_cpu_s": [round(value, 2) for value in floor],
        "median_ratio": round(median(a / b for a, b in zip(full, floor, strict=True)), 3),
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
