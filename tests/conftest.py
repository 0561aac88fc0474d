"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario
from tests.pack_files import stock_room, write_pack

settings.register_profile("suite", max_examples=40, deadline=None)
settings.load_profile("suite")


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches for a model's key or draws a display."""
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def pack_folder(tmp_path: Path) -> Path:
    """A sound pack on disk."""
    return write_pack(tmp_path)


@pytest.fixture
def room(tmp_path: Path) -> tuple[Scenario, InProcessRuntime]:
    """A scenario and the runtime of its environment."""
    _, runtime, scenario = stock_room(tmp_path)
    return scenario, runtime
