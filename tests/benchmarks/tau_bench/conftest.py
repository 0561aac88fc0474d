"""Fixtures: the miniature domains, and the real data where this machine has it."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import miniature
import pytest

from envscaler_eval.benchmarks.tau_bench import Domain, TauWorld, data
from envscaler_eval.benchmarks.tau_bench.dataset import build

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def retail() -> Domain:
    """The retail domain of the miniature."""
    return build("retail", miniature.reader(), ["test"])


@pytest.fixture(scope="session")
def airline() -> Domain:
    """The airline domain of the miniature."""
    return build("airline", miniature.reader(), ["test"])


@pytest.fixture
def shop(retail: Domain) -> TauWorld:
    """A fresh retail world."""
    return TauWorld(retail)


@pytest.fixture
def desk(airline: Domain) -> TauWorld:
    """A fresh airline world."""
    return TauWorld(airline)


@pytest.fixture(scope="session")
def miniature_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the miniature as `tau_bench/`."""
    root = tmp_path_factory.mktemp("data")
    for name, content in miniature.contents().items():
        path = root / "tau_bench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


@pytest.fixture
def miniature_data(miniature_files: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The miniature in the place of the real data."""
    pinned = {
        name: hashlib.sha256(content).hexdigest() for name, content in miniature.contents().items()
    }
    monkeypatch.setattr(data, "manifest", lambda: pinned)
    monkeypatch.setenv("ENVSCALER_DATA", str(miniature_files))
    return str(miniature_files)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder that holds the real data."""
    chosen = Path(os.environ.get("ENVSCALER_DATA") or SHARED / "benchmarks")
    if not (chosen / "tau_bench").is_dir():
        pytest.skip(f"no Tau-Bench data in {chosen}; set ENVSCALER_DATA to a folder that has it")
    return chosen


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """Reads vectors that were made by running the original."""
    folder = SHARED / "golden" / "tau_bench"
    if not folder.is_dir():
        pytest.skip(f"no vectors of the original Tau-Bench in {folder}")
    return lambda name: json.loads((folder / f"{name}.json").read_bytes())
