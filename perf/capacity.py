"""The constants of `envscaler sweep plan --estimate`, and how well they tell a real sweep.

    python perf/capacity.py costs    # CPU of shards, episodes and calls; bytes of logs
    python perf/capacity.py memory   # of a worker, and of an episode that waits for a model
    python perf/capacity.py driver   # CPU of Ray's driver for a shard; needs the extra `ray`
    python perf/capacity.py check    # a sweep in two processes beside what is told of it

Costs are CPU seconds, found by least squares over sweeps in this process that differ in shards,
episodes and calls. Each prints JSON.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from envscaler_eval.sweep import Item, Store, SweepPlan, Work, content_key, map_items, prepare
from envscaler_eval.sweep.capacity import MEASURED, Load, estimate
from envscaler_eval.sweep.engines import LocalEngine, RayEngine

_NOOP, _ORACLE, _WAITING = "policy/noop", "policy/oracle", "waiting/one"
_NULL_ITEMS, _WARM = 120, 20


@modelapi(name="waiting")
class Waiting(ModelAPI):
    """A model that keeps each episode waiting for a while, and ends it."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Say that it is done, two seconds later."""
        await asyncio.sleep(2)
        return ModelOutput.from_content("waiting/one", "Done.")


def _plan(model: str, scenarios: int, per_shard: int, mode: str, **more: Any) -> SweepPlan:
    args = {"mode": mode, "scenarios_per_env": scenarios}
    return SweepPlan.model_validate(
        {
            "tasks": [{"task": "envscaler", "args": args}],
            "models": [{"model": model, **more}],
            "roles": {"user": "policy/user"},
            "samples_per_shard": per_shard,
        }
    )


def _run(plan: SweepPlan, folder: Path, workers: int = 1) -> dict[str, float]:
    """Run a plan; return its size and what it took."""
    sweep = prepare(plan, Store(str(folder)), workers)
    began, cpu = time.monotonic(), _cpu()
    map_items(sweep.work, sweep.items, LocalEngine(workers), lambda _: None)
    seconds, cpu = time.monotonic() - began, _cpu() - cpu
    logs = [Path(info.name.removeprefix("file://")) for info in list_eval_logs(str(folder))]
    episodes = sum(len(shard.samples) for shard in sweep.shards)
    samples = [sample for log in logs for sample in read_eval_log(str(log)).samples or ()]
    assert len(samples) == episodes
    calls = sum(event.event == "model" for sample in samples for event in sample.events)
    row = {
        "shards": len(sweep.shards),
        "episodes": episodes,
        "calls": calls,
        "cpu": cpu,
        "seconds": seconds,
        "bytes": sum(log.stat().st_size for log in logs),
    }
    print(json.dumps(row), file=sys.stderr)
    return row


def _cpu() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def costs(scratch: Path) -> dict[str, Any]:
    """Run sweeps of different make, and tell what their pieces cost."""
    _run(_plan(_NOOP, 1, 1000, "non_conv"), scratch / "first")
    warm = _run(_plan(_NOOP, 1, 1000, "non_conv"), scratch / "warm")
    rows = [
        _run(_plan(*sizes), scratch / f"{turn}")
        for turn, sizes in enumerate(
            [
                (_NOOP, 2, 1000, "non_conv"),
                (_NOOP, 1, 4, "non_conv"),
                (_ORACLE, 1, 1000, "non_conv"),
                (_ORACLE, 1, 8, "conv"),
            ]
        )
    ]
    sizes = np.array([[row["shards"], row["episodes"], row["calls"]] for row in rows])
    # Relative errors count, so that large sweeps do not decide alone.
    fresh = _fresh_cpu(scratch)
    told: dict[str, Any] = {"worker_start": round(fresh - warm["cpu"], 3)}
    for name in ("cpu", "bytes"):
        took = np.array([row[name] for row in rows])
        found, *_ = np.linalg.lstsq(sizes / took[:, None], np.ones(len(rows)), rcond=None)
        told[name] = dict(zip(("shard", "episode", "call"), found.round(4).tolist(), strict=True))
        told[f"{name}_fit"] = (sizes @ found / took).round(3).tolist()
    return told | {"rows": [warm, *rows]}


def _child(scratch: Path, model: str, live: int) -> float:
    """Run a shard in a process of its own, and return what `one` prints there."""
    child = [sys.executable, __file__, "one", "--model", model, "--live", str(live)]
    finished = subprocess.run(
        [*child, "--scratch", str(scratch)], check=True, capture_output=True, text=True
    )
    return float(finished.stdout.split()[-1])


def _fresh_cpu(scratch: Path) -> float:
    """Return the CPU seconds of a process that starts, and runs what `costs` calls warm."""
    before = _cpu()
    _child(scratch, _NOOP, 1)
    return _cpu() - before


def one(scratch: Path, model: str, live: int) -> float:
    """Run a shard whose episodes all run at once; return this process's peak in MB."""
    generation = {"max_connections": live}
    per_shard = 1000 if model == _NOOP else live
    plan = _plan(model, 1 + live // 20, per_shard, "non_conv", generation=generation)
    sweep = prepare(plan, Store(str(scratch / f"live-{live}")), 1)
    map_items(sweep.work, sweep.items[:1], LocalEngine(), lambda _: None)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory(scratch: Path) -> dict[str, Any]:
    """Tell what live episodes add to a process."""
    few, many = 20, 120
    small, large = (_child(scratch, _WAITING, live) for live in (few, many))
    each = (large - small) / (many - few)
    return {"worker_mb": round(small - few * each, 1), "episode_mb": round(each, 3)}


def driver(scratch: Path) -> dict[str, Any]:
    """Tell what Ray's driver spends on a shard, by items that do next to nothing."""
    from tests.sweep.functions import DOUBLE
    from tests.sweep.ray_clusters import cluster

    payloads = [{"number": number} for number in range(_NULL_ITEMS)]
    items = [Item(content_key(payload), payload) for payload in payloads]
    with cluster(2):
        work = Work(DOUBLE, str(scratch))
        map_items(work, items[:_WARM], RayEngine(2), lambda _: None)
        began, cpu = time.monotonic(), time.process_time()
        map_items(work, items, RayEngine(2), lambda _: None)
        cpu, seconds = time.process_time() - cpu, time.monotonic() - began
    count = _NULL_ITEMS - _WARM
    return {"cpu_ms": round(1000 * cpu / count, 2), "wall_ms": round(1000 * seconds / count, 2)}


def check(scratch: Path) -> dict[str, Any]:
    """Run a sweep in two processes, and set beside it what is told beforehand."""
    ran = _run(_plan(_ORACLE, 6, 20, "non_conv"), scratch / "check", workers=2)
    load = Load(
        shards=int(ran["shards"]),
        episodes=ran["episodes"] / ran["shards"],
        calls=ran["calls"] / ran["episodes"],
        seconds=0.0,
        live=100,
    )
    told = estimate([load], 2, MEASURED)
    return {
        "ran": ran,
        "told": {"cpu": told.cpu_seconds, "seconds": told.seconds, "bytes": told.log_bytes},
        "told_by_ran": {
            "cpu": round(told.cpu_seconds / ran["cpu"], 3),
            "seconds": round(told.seconds / ran["seconds"], 3),
            "bytes": round(told.log_bytes / ran["bytes"], 3),
        },
        # Less than 2 where other processes had this machine's cores too.
        "cores_had": round(ran["cpu"] / ran["seconds"], 2),
    }


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["costs", "memory", "driver", "check", "one"])
    parser.add_argument("--model", default=_WAITING)
    parser.add_argument("--live", type=int, default=10)
    parser.add_argument("--scratch", type=Path)
    given = parser.parse_args()
    if given.what == "one":
        print(one(given.scratch, given.model, given.live))
        return
    measures = {"costs": costs, "memory": memory, "driver": driver, "check": check}
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps({given.what: measures[given.what](Path(scratch))}, indent=1))


if __name__ == "__main__":
    main()
