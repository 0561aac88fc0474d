"""Benchmarks are bounded by their ground truth and by doing nothing."""

import os
from pathlib import Path

import pytest

from envscaler_eval.audit.ground_truth import GroundTruthTask, audit_ground_truth
from envscaler_eval.benchmarks.ground_truth import GROUND_TRUTHS

SHARED = Path(__file__).parents[3] / "shared" / "benchmarks"
DATA = Path(os.environ.get("ENVSCALER_DATA", SHARED))


def test_tasks_that_are_free_and_tasks_that_cannot_be_solved_are_named() -> None:
    def task(name: str, solved: float, idle: float) -> GroundTruthTask:
        return GroundTruthTask(name, "group", lambda: solved, lambda: idle)

    (bounds,) = audit_ground_truth([task("a", 1, 0), task("b", 1, 1), task("c", 0.5, 0)])
    assert (bounds.solved.count, bounds.floor.count, bounds.floor.total) == (2, 1, 3)
    assert bounds.unsolved == ("c",)
    assert bounds.free == ("b",)


@pytest.mark.parametrize(
    ("benchmark", "floors"),
    [
        ("tau_bench", {"tau_bench/retail": (7, 115), "tau_bench/airline": (19, 50)}),
        (
            "acebench",
            {
                "acebench/en/multi_step": (0, 20),
                "acebench/en/multi_turn": (0, 30),
                "acebench/zh/multi_step": (0, 20),
                "acebench/zh/multi_turn": (0, 30),
            },
        ),
    ],
)
def test_published_floors(benchmark: str, floors: dict[str, tuple[int, int]]) -> None:
    if not (DATA / benchmark).is_dir():
        pytest.skip(f"the data of {benchmark} is not here; `envscaler data fetch {benchmark}`")
    bounds = audit_ground_truth(GROUND_TRUTHS[benchmark](DATA))
    assert {b.group: (b.floor.count, b.floor.total) for b in bounds} == floors
    assert all(b.unsolved == () for b in bounds)
