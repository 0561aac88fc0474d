"""Data for the ACEBench tests: a miniature of our own, and the real one if it is there."""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from envscaler_eval.benchmarks.acebench import data
from envscaler_eval.benchmarks.acebench.dataset import Dataset, Language, load, read
from envscaler_eval.benchmarks.acebench.worlds import AceWorld
from envscaler_eval.benchmarks.data import DATA_VARIABLE

_HERE = Path(__file__).parent
_SHARED = _HERE.parents[2].parent / "shared"

Load = Callable[[Language], Dataset]


@pytest.fixture
def miniature() -> Load:
    """Return a loader of the invented data that comes with these tests."""
    return lambda language: read(_HERE / "miniature", language)


@pytest.fixture
def miniature_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a data folder that holds the invented data, pinned in place of the real one."""
    folder = tmp_path / "data" / "acebench"
    shutil.copytree(_HERE / "miniature", folder)
    pinned = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.json"))
    }
    monkeypatch.setattr(data, "manifest", lambda: pinned)
    return str(folder.parent)


@pytest.fixture
def real_dir() -> str:
    """Return the folder of the benchmark's data, or skip."""
    data_dir = _real_data()
    if not (data_dir / "acebench").is_dir():
        pytest.skip(f"no ACEBench data in {data_dir}; set {DATA_VARIABLE}")
    return str(data_dir)


@pytest.fixture
def world(miniature: Load) -> Callable[..., AceWorld]:
    """Return a maker of worlds."""

    def make(task_id: str, language: Language = "en") -> AceWorld:
        dataset = miniature(language)
        return AceWorld(dataset, dataset.task(f"agent_{task_id}"))

    return make


@pytest.fixture
def real(real_dir: str) -> Load:
    """Return a loader of the benchmark's data, or skip."""
    return lambda language: load(language, real_dir)


@pytest.fixture
def golden() -> Path:
    """Return the folder of vectors recorded from upstream, or skip."""
    for folder in (_real_data().parent / "golden", _SHARED / "golden"):
        if (folder / "acebench").is_dir():
            return folder / "acebench"
    pytest.skip(f"no golden vectors of ACEBench beside {_real_data()} or in {_SHARED}")


def _real_data() -> Path:
    return Path(os.environ.get(DATA_VARIABLE) or _SHARED / "benchmarks")
