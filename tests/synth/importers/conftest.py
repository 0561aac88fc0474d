"""What the tests of importing share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.synth.importers import ImportChoices, ImportReport, import_release
from envscaler_eval.synth.importers.official_files import read_release
from tests.synth.importers.official import environment, scenario, write_release

Import = Callable[..., ImportReport]
ImportOne = Callable[..., tuple[Pack, ImportReport]]


@pytest.fixture
def import_records(tmp_path: Path) -> Import:
    """Import records into `tmp_path/packs`; by default one sound environment and scenario."""

    def run(environments: Any = None, scenarios: Any = None, **choices: Any) -> ImportReport:
        files = write_release(
            tmp_path / "release",
            [environment()] if environments is None else environments,
            [scenario()] if scenarios is None else scenarios,
        )
        return import_release(
            read_release(files[0], "environments"),
            [read_release(files[1], "scenarios")],
            tmp_path / "packs",
            ImportChoices(**choices),
        )

    return run


@pytest.fixture
def import_one(import_records: Import, tmp_path: Path) -> ImportOne:
    """Import one environment with scenarios and read its pack."""

    def run(scenarios: Sequence[Any] | None = None, **changes: Any) -> tuple[Pack, ImportReport]:
        report = import_records([environment(**changes)], scenarios)
        return read_pack(tmp_path / "packs" / "env_1_sft"), report

    return run
