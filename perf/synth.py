"""What the synthesis costs beside its models' answers.

200 items at once are each asked one question of a model that answers after 50 ms, and
their outcomes are recorded. Beside it stands the same with Inspect alone: 200 concurrent
calls of `generate`. A second run finds everything recorded. Prints JSON with the CPU
milliseconds an item, median of the rounds; the orchestration's share is the difference.

    python perf/synth.py
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.skel_builder.mining import JUDGE_STATEFUL, Judgement
from envscaler_eval.synth.skel_builder.task import Task

ITEMS = 200
LATENCY = 0.05
ROUNDS = 5
TARGET_MS = 5.0

REPLY = json.dumps(
    {
        "reason": "It needs records of bookings, which change. " * 10,
        "keeps_records": True,
        "depends_on_state": True,
        "specific_domain": True,
        "can_be_acted_on": True,
    }
)


def model() -> Model:
    """Return a model that answers after the latency."""

    async def answer(*_: Any) -> ModelOutput:
        await asyncio.sleep(LATENCY)
        output = ModelOutput.from_content("mockllm/model", REPLY)
        output.usage = ModelUsage(input_tokens=400, output_tokens=90, total_tokens=490)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def tasks() -> list[Task]:
    """Return the items."""
    return [Task(text=f"Move booking {n} to Thursday.", source="perf") for n in range(ITEMS)]


async def bare() -> None:
    """Ask with Inspect alone."""
    asked = model()
    prompts = [JUDGE_STATEFUL.prompt(task=task.text) for task in tasks()]
    await asyncio.gather(*(asked.generate(prompt) for prompt in prompts))


async def orchestrated(folder: Path) -> None:
    """Ask through the pipeline."""
    stage = Stage("stateful", Judgement, (JUDGE_STATEFUL,))
    with Artefacts(folder) as artefacts:
        run = Run(artefacts, Models(model(), max_connections=ITEMS), concurrency=ITEMS)

        async def way(task: Task) -> Judgement:
            return await run.stage(
                stage, task.id, task, lambda: run.ask(JUDGE_STATEFUL, task.id, task=task.text)
            )

        kept = await run.each(tasks(), way)
        assert len(kept) == ITEMS


def cost(work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Return the CPU and the wall milliseconds an item."""

    async def measured() -> tuple[float, float]:
        cpu, wall = time.process_time(), time.perf_counter()
        await work()
        return time.process_time() - cpu, time.perf_counter() - wall

    cpu, wall = asyncio.run(measured())
    return 1000 * cpu / ITEMS, 1000 * wall / ITEMS


def main() -> None:
    """Measure."""
    asyncio.run(bare())
    alone, first, again, walls = [], [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as place:
            alone.append(cost(bare)[0])
            cpu, wall = cost(lambda: orchestrated(Path(place)))
            first.append(cpu)
            walls.append(wall)
            again.append(cost(lambda: orchestrated(Path(place)))[0])
    overhead = median(first) - median(alone)
    report = {
        "items_at_once": ITEMS,
        "inspect_alone_cpu_ms_an_item": round(median(alone), 2),
        "pipeline_cpu_ms_an_item": round(median(first), 2),
        "pipeline_wall_ms_an_item": round(median(walls), 2),
        "orchestration_cpu_ms_an_item": round(overhead, 2),
        "resumed_cpu_ms_an_item": round(median(again), 2),
        "within_target": overhead < TARGET_MS,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
