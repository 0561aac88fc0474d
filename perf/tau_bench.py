"""Measure the reset and the grading of Tau-Bench trials; print JSON.

    python perf/tau_bench.py [DATA_DIR]

A trial here is: reset the world, make the task's own calls, grade. The slow way
does what upstream does, written anew: it loads the database from disk for the
trial and again for the task's own actions, and hashes both databases whole. Its
calls act on a world of ours, whose cost counts for both ways.
"""

import hashlib
import json
import resource
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envscaler_eval.benchmarks import tau_bench
from envscaler_eval.benchmarks.tau_bench import data
from envscaler_eval.benchmarks.tau_bench.dataset import DOMAINS, Domain, Task
from envscaler_eval.benchmarks.tau_bench.grading import grade_trial
from envscaler_eval.benchmarks.tau_bench.world import TauWorld

SLOW_TRIALS = 8
WORLDS = 50


def main() -> None:
    """Measure both domains and print the figures."""
    data_dir = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    report: dict[str, Any] = {name: measured(name, data_dir) for name in DOMAINS}
    report["peak_rss_of_all_mb"] = round(rss_mb())
    print(json.dumps(report, indent=2))


def measured(name: str, data_dir: Path | None) -> dict[str, Any]:
    """Measure one domain.

    Args:
        name: The domain.
        data_dir: Where the data is.

    Returns:
        Milliseconds, megabytes and ratios by name.
    """
    started = time.perf_counter()
    domain = tau_bench.load(name, data_dir)
    loaded = time.perf_counter()
    TauWorld(domain).data_hash()
    hashed = time.perf_counter()
    tasks = domain.split("test")

    first = mean_ms(lambda task: fast_trial(domain, task), tasks)
    fast = mean_ms(lambda task: fast_trial(domain, task), tasks)
    with_hash = mean_ms(lambda task: fast_trial(domain, task, hashing=True), tasks)
    folder = data.locate(data_dir)
    slow = mean_ms(lambda task: slow_trial(folder, domain, task), tasks[:SLOW_TRIALS])

    tracemalloc.start()
    worlds = [TauWorld(domain) for _ in range(WORLDS)]
    for world, task in zip(worlds, tasks, strict=False):
        for call in task.actions:
            world.call(*call)
        world.data_hash()
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "load_once_ms": round(1000 * (loaded - started), 1),
        "first_hash_once_ms": round(1000 * (hashed - loaded), 1),
        "slow_trial_ms": round(slow, 2),
        "first_trial_of_a_task_ms": round(first, 3),
        "trial_ms": round(fast, 3),
        "trial_with_hash_of_final_state_ms": round(with_hash, 3),
        "ratio": round(slow / fast),
        "ratio_with_hash_of_final_state": round(slow / with_hash),
        f"{WORLDS}_worlds_mb": round(allocated / (1 << 20), 2),
    }


def fast_trial(domain: Domain, task: Task, *, hashing: bool = False) -> None:
    """Reset, act and grade, as the package does it."""
    world = TauWorld(domain)
    for call in task.actions:
        world.call(*call)
    if hashing:
        world.data_hash()
    script = tau_bench.oracle_script(task)
    assert grade_trial(domain, task, script.calls, [script.reply]).reward == 1.0


def slow_trial(folder: Path, domain: Domain, task: Task) -> None:
    """Load, act, hash, load again and hash again."""
    final = whole_hash(whole_database(folder, domain))
    world = TauWorld(domain)
    for call in task.actions:
        world.call(*call)
    assert whole_hash(whole_database(folder, domain)) == final


def whole_database(folder: Path, domain: Domain) -> dict[str, Any]:
    """Load all tables from disk."""
    return {
        name: json.loads((folder / domain.name / f"{name}.json").read_text())
        for name in domain.tables
    }


def whole_hash(database: Any) -> str:
    """Hash a database the plain way: nested sorted tuples, as text."""

    def frozen(value: Any) -> Any:
        if isinstance(value, dict):
            return tuple((key, frozen(item)) for key, item in sorted(value.items()))
        if isinstance(value, list):
            return tuple(frozen(item) for item in value)
        return value

    return hashlib.sha256(str(frozen(database)).encode()).hexdigest()


def mean_ms(trial: Callable[[Task], None], tasks: tuple[Task, ...]) -> float:
    """Return the mean time of a trial over tasks, in milliseconds."""
    times = []
    for task in tasks:
        started = time.perf_counter()
        trial(task)
        times.append(1000 * (time.perf_counter() - started))
    return statistics.mean(times)


def rss_mb() -> float:
    """Return the peak resident memory of this process so far, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in kilobytes, macOS in bytes.
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


if __name__ == "__main__":
    main()
