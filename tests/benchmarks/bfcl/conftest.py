"""Fixtures: the miniature, and the real data where it can be had."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import bfcl_miniature
import pytest
from bfcl_runs import Runs

from envscaler_eval.benchmarks.bfcl import Dataset, Snapshot, data, dataset, fetch, load
from envscaler_eval.benchmarks.data import DATA_VARIABLE, DataError


@pytest.fixture(scope="module")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with the miniature, which passes for the pinned data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "manifest", bfcl_miniature.manifest)
        yield bfcl_miniature.write(tmp_path_factory.mktemp("data"))
    dataset._loaded.cache_clear()


@pytest.fixture
def small(miniature: Path) -> Dataset:
    """The miniature's v4."""
    return load("v4", miniature)


@pytest.fixture(scope="module", params=["v4", "v3"])
def snapshot(request: pytest.FixtureRequest) -> Iterator[Snapshot]:
    """A real snapshot, fetched into the cache where it is not at hand."""
    chosen: Snapshot = request.param
    if find_spec("mpmath") is None:
        pytest.skip("BFCL's backends need mpmath; pip install 'envscaler-eval[bfcl]'")
    with pytest.MonkeyPatch.context() as patch:
        try:
            data.installed(chosen)
        except DataError:
            # A folder that someone named is theirs, so nothing is put there.
            patch.delenv(DATA_VARIABLE, raising=False)
            try:
                fetch(chosen)
            except DataError as fault:
                pytest.skip(f"no BFCL data: {fault.message}")
        yield chosen


@pytest.fixture
def runs(miniature: Path, tmp_path: Path) -> Runs:
    """Runs of the task."""
    return Runs(miniature, tmp_path / "logs")
