"""What scoring BFCL costs, next to the official checker.

Both score the same 800 finished samples, the ground truth as official result
files have it, from decoding to the verdict, in one process and in turns. Needs
the snapshot (`envscaler data fetch bfcl`). Prints JSON with the CPU seconds of
five runs each and the ratio of their medians.

    python perf/bfcl.py [v4|v3]
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, cast

from envscaler_eval.benchmarks.bfcl import Snapshot, load
from envscaler_eval.benchmarks.bfcl.checker import judge
from envscaler_eval.benchmarks.bfcl.data import installed
from envscaler_eval.benchmarks.bfcl.decoding import decode_calls
from envscaler_eval.benchmarks.bfcl.oracle import oracle_calls

OFFICIAL = Path(__file__).parents[1] / "tests" / "benchmarks" / "bfcl" / "bfcl_official.py"

RUNS = 5


def seconds(work: Callable[[], int]) -> tuple[float, int]:
    """Return the CPU seconds of some work, and how many samples passed."""
    start = time.process_time()
    passed = work()
    return time.process_time() - start, passed


def main(snapshot: Snapshot) -> None:
    """Measure a snapshot."""
    start = time.process_time()
    dataset = load(snapshot)
    loaded = time.process_time()
    sys.path.insert(0, str(OFFICIAL.parent))
    official: Any = importlib.import_module(OFFICIAL.stem).Official(
        installed(snapshot), isolated=False
    )
    imported = time.process_time()
    results = {
        entry.id: [
            [[{"name": c.name, "arguments": json.dumps(c.arguments)} for c in calls], []]
            for calls in oracle_calls(dataset, entry)
        ]
        for entry in dataset.entries.values()
    }

    def by_us() -> int:
        return sum(
            judge(
                dataset,
                dataset.entry(name),
                [[decode_calls(step) for step in steps] for steps in turns],
            ).valid
            for name, turns in results.items()
        )

    def by_official() -> int:
        return sum(official.verdict(name, turns)[0] for name, turns in results.items())

    runs = [(seconds(by_us), seconds(by_official)) for _ in range(RUNS)]
    ours = [own for (own, _), _ in runs]
    theirs = [other for _, (other, _) in runs]
    passed = {count for run in runs for _, count in run}
    report = {
        "snapshot": snapshot,
        "samples": len(results),
        "passed": sorted(passed),
        "ours_s": [round(value, 3) for value in ours],
        "official_s": [round(value, 3) for value in theirs],
        "ratio": round(median(ours) / median(theirs), 3),
        "load_s": round(loaded - start, 3),
        "official_import_s": round(imported - loaded, 3),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(cast(Snapshot, sys.argv[1] if len(sys.argv) > 1 else "v4"))
