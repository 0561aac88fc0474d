"""`envscaler data` lists and fetches, and tells mistakes in one line."""

import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from envscaler_eval.benchmarks import catalogue
from envscaler_eval.benchmarks.catalogue import BENCHMARKS, Benchmark
from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.cli.app import app, main


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["data", *arguments])


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make a benchmark the only one, ready once it is fetched."""

    def locate(data_dir: Any = None) -> Path:
        folder = Path(data_dir) / "bread"
        if not folder.is_dir():
            raise DataError(f"{folder}: no bread; fetch it")
        return folder

    def fetch(data_dir: Any = None) -> Path:
        (Path(data_dir) / "bread").mkdir()
        return locate(data_dir)

    bread = Benchmark("bread", "Bread", "0123456789abcdef", "MIT", fetch, locate)
    monkeypatch.setattr(catalogue, "BENCHMARKS", (bread,))


@pytest.mark.usefixtures("ready")
def test_data_is_listed_as_ready_once_it_is_fetched(tmp_path: Path) -> None:
    before = run("list", "--data-dir", str(tmp_path))
    assert "0123456789ab " in before.output
    assert "not ready" in before.output
    assert f"{tmp_path}/bread: no bread; fetch it" in before.output
    fetched = run("fetch", "bread", "--data-dir", str(tmp_path))
    assert fetched.output == f"{tmp_path}/bread\n"
    after = run("list", "--data-dir", str(tmp_path))
    assert "not ready" not in after.output
    assert f"folder: {tmp_path}" in after.output


def test_an_unknown_benchmark_is_a_mistake(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["envscaler", "data", "fetch", "chess"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("Error: there is no benchmark 'chess'; use one of acebench")
    assert len(told.splitlines()) == 1


def test_every_benchmark_says_where_its_data_is_missing(tmp_path: Path) -> None:
    for benchmark in BENCHMARKS:
        with pytest.raises(DataError) as fault:
            benchmark.locate(tmp_path)
        assert f"envscaler data fetch {benchmark.name}" in fault.value.message
        assert fault.value.exit_code == 2
