"""The benchmarks whose data can be fetched, a line each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from envscaler_eval.benchmarks import acebench
from envscaler_eval.benchmarks.acebench.data import COMMIT as ACEBENCH_COMMIT
from envscaler_eval.benchmarks.bfcl import data as bfcl
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
        snapshot: Which of its snapshots this is, where there are several; the
            first in the catalogue is the default.
    """

    name: str
    title: str
    version: str
    licence: str
    fetch: Fetch
    locate: Callable[[str | Path | None], Path]
    snapshot: str | None = None


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "acebench", "ACEBench, Agent part", ACEBENCH_COMMIT, "MIT", acebench.fetch, acebench.locate
    ),
    *(
        Benchmark(
            "bfcl",
            f"BFCL Multi-Turn, {snapshot}",
            release.version,
            "Apache-2.0",
            partial(bfcl.fetch, snapshot),
            partial(bfcl.installed, snapshot),
            snapshot,
        )
        for snapshot, release in bfcl.RELEASES.items()
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
