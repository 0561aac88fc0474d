"""The benchmarks whose data can be fetched, a line each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from envscaler_eval.benchmarks import acebench
from envscaler_eval.benchmarks.acebench.data import COMMIT as ACEBENCH_COMMIT
from envscaler_eval.benchmarks.tau_bench import data as tau_bench


class Fetch(Protocol):
    """Fetches a benchmark's pinned data into a folder and returns where it is."""

    def __call__(self, data_dir: str | Path | None = None) -> Path:
        """Fetch; `data_dir` holds a folder for each benchmark."""
        ...


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's data.

    Attributes:
        name: The name people type, and that of its folder.
        title: What it is.
        version: The upstream commit or release that is pinned.
        licence: What upstream says of it.
        fetch: Fetches it.
        locate: Returns its folder, verified, or raises `DataError`.
    """

    name: str
    title: str
    version: str
    licence: str
    fetch: Fetch
    locate: Callable[[str | Path | None], Path]


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "acebench", "ACEBench, Agent part", ACEBENCH_COMMIT, "MIT", acebench.fetch, acebench.locate
    ),
    Benchmark(
        "tau_bench",
        "Tau-Bench v1, retail and airline",
        tau_bench.COMMIT,
        "MIT",
        tau_bench.fetch,
        tau_bench.installed,
    ),
)
