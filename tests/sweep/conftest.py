"""What tests of sweeps share."""

from pathlib import Path

import pytest

from tests.sweep.plans import write_rooms


@pytest.fixture
def rooms(tmp_path: Path) -> str:
    """A folder of packs."""
    return write_rooms(tmp_path)
