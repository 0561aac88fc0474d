"""What sweeps cost: Ray beside this machine's own processes, and a node lost in the middle.

    python perf/sweep.py overhead [--scenarios N]
    python perf/sweep.py lost-node [--scenarios N]

Needs the extra `ray`. `overhead` runs one sweep with two processes and with two tasks of a
cluster of two nodes, in turn, and gives the ratio of their times; the cluster runs already.
`lost-node` runs a sweep in one process, and on a cluster one of whose two nodes is killed after
a third of the shards, and compares the tables byte by byte. Each prints JSON.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from envscaler_eval.results import read_results
from envscaler_eval.results.document import as_markdown
from envscaler_eval.sweep import Engine, Report, Store, SweepPlan, map_items, prepare
from envscaler_eval.sweep.documents import results_document
from envscaler_eval.sweep.engines import LocalEngine, RayEngine
from tests.sweep.ray_clusters import cluster

_WORKERS = 2


def _plan(scenarios: int) -> SweepPlan:
    """Return a plan over all environments, by policies of which one errs; short episodes."""
    return SweepPlan.model_validate(
        {
            "tasks": [
                {
                    "task": "envscaler",
                    "args": {"mode": "both", "scenarios_per_env": scenarios, "step_limit": 4},
                }
            ],
            "models": ["policy/noop", {"model": "policy/oracle", "args": {"error_rate": 0.3}}],
            "roles": {"user": "policy/user"},
        }
    )


def _run(
    plan: SweepPlan, folder: Path, engine: Engine, tell: Callable[[Report], None]
) -> dict[str, Any]:
    store = Store(str(folder))
    sweep = prepare(plan, store, engine.workers)
    began = time.monotonic()
    map_items(sweep.work, sweep.items, engine, tell)
    seconds = time.monotonic() - began
    document = results_document(read_results([store.root]), None)
    told = as_markdown(document).encode() + document.numbers
    return {
        "shards": len(sweep.items),
        "samples": sum(len(shard.samples) for shard in sweep.shards),
        "seconds": round(seconds, 1),
        "table_sha256": sha256(told).hexdigest(),
    }


def _quiet(_: Report) -> None:
    pass


def overhead(scenarios: int, scratch: Path) -> dict[str, Any]:
    """Run a sweep twice in processes and twice on Ray, in turn."""
    runs: dict[str, list[dict[str, Any]]] = {"local": [], "ray": []}
    plan = _plan(scenarios)
    with cluster(_WORKERS):
        for turn, name in enumerate(("local", "ray", "ray", "local")):
            engine = LocalEngine(_WORKERS) if name == "local" else RayEngine(_WORKERS)
            runs[name].append(_run(plan, scratch / f"{turn}", engine, _quiet))
    took = {name: [run["seconds"] for run in its] for name, its in runs.items()}
    return {
        **runs["ray"][0],
        "seconds": took,
        "ratio": round(sum(took["ray"]) / sum(took["local"]), 3),
    }


def lost_node(scenarios: int, scratch: Path) -> dict[str, Any]:
    """Run a sweep in one process, and on a cluster that loses a node."""
    plan = _plan(scenarios)
    alone = _run(plan, scratch / "alone", LocalEngine(), _quiet)
    ended: list[Report] = []
    with cluster(_WORKERS) as (made, nodes):

        def lose(report: Report) -> None:
            ended.append(report)
            if len(ended) == alone["shards"] // 3:
                made.remove_node(nodes[0], allow_graceful=False)

        on_ray = _run(plan, scratch / "ray", RayEngine(_WORKERS), lose)
    return {
        "alone": alone,
        "ray": on_ray,
        "runs_told": len(ended),
        "identical": alone["table_sha256"] == on_ray["table_sha256"],
    }


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["overhead", "lost-node"])
    parser.add_argument("--scenarios", type=int, default=15, help="of each environment")
    given = parser.parse_args()
    measure = overhead if given.what == "overhead" else lost_node
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps({given.what: measure(given.scenarios, Path(scratch))}, indent=1))


if __name__ == "__main__":
    main()
