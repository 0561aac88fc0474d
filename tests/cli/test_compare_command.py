"""`envscaler compare` as a person uses it."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.commands import Command
from tests.results.log_files import Runs, write_log

BEFORE: Runs = {f"s{n}": [float(n % 4 == 0)] for n in range(16)}
AFTER: Runs = {f"s{n}": [float(n % 4 < 3)] for n in range(16)}


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Path, Path]:
    """Two logs of a task on sixteen samples."""
    return (
        write_log(tmp_path / "base", BEFORE, model="acme/base"),
        write_log(tmp_path / "sft", AFTER, model="acme/sft"),
    )


def test_it_prints_what_changed(envscaler: Command, logs: tuple[Path, Path]) -> None:
    code, out, _ = envscaler("compare", *logs)
    assert code == 0
    (row,) = (line for line in out.splitlines() if "16 in 16 samples" in line)
    cells = re.split(r"\s{2,}", row.strip())
    assert cells[:6] == ["quiz", "judge", "16 in 16 samples", "-", "0.250", "0.750"]
    assert cells[6].startswith("+0.500 [+0.")
    assert "acme/base" in out and "acme/sft" in out


def test_it_writes_markdown_json_and_a_page(
    envscaler: Command, logs: tuple[Path, Path], tmp_path: Path
) -> None:
    files = [tmp_path / f"report.{kind}" for kind in ("md", "json", "html")]
    code, _, _ = envscaler(
        "compare", *logs, "--markdown", files[0], "--json", files[1], "--html", files[2]
    )
    assert code == 0
    markdown, numbers, page = (file.read_text(encoding="utf-8") for file in files)
    assert markdown.startswith("# Comparison\n") and "| quiz" in markdown
    (comparison,) = json.loads(numbers)["comparisons"]
    assert comparison["difference"]["value"] == 0.5
    assert comparison["gained"] == 0.5 and comparison["mcnemar"] == 2 / 2**8
    assert "http" not in page and "<script" not in page
    cells = _cells(page)
    assert "+0.500" in " ".join(cells) and "acme/sft" in cells


def _cells(page: str) -> list[str]:
    found: list[str] = []

    class Cells(HTMLParser):
        def handle_data(self, data: str) -> None:
            found.append(data.strip())

    Cells().feed(page)
    return found


def test_names_from_logs_cannot_break_out_of_the_page(envscaler: Command, tmp_path: Path) -> None:
    paths = [
        write_log(tmp_path / side, BEFORE, model=f"acme/<b>{side}|x</b>") for side in ("b", "a")
    ]
    page, markdown = tmp_path / "p.html", tmp_path / "p.md"
    assert envscaler("compare", *paths, "--html", page, "--markdown", markdown)[0] == 0
    assert "<b>" not in page.read_text(encoding="utf-8")
    assert r"\|x" in markdown.read_text(encoding="utf-8")


def test_too_few_clusters_are_told_with_the_reason(envscaler: Command, tmp_path: Path) -> None:
    few: Runs = {f"s{n}": [float(n == 0)] for n in range(7)}
    paths = [write_log(tmp_path / side, few, model=f"acme/{side}") for side in ("b", "a")]
    code, out, _ = envscaler("compare", *paths)
    assert code == 0
    assert "no interval, since 7 clusters (samples) are too few: at least 8 are needed" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "name the logs of two models at least"),
        (["nowhere"], "nowhere: there is no such log or folder"),
        (["--plan", "2"], "the difference is 2.0; use a number above 0"),
    ],
)
def test_mistakes_end_in_one_line(envscaler: Command, arguments: list[str], told: str) -> None:
    code, out, err = envscaler("compare", *arguments)
    assert (code, out) == (2, "")
    assert told in err and err.count("\n") == 1


@pytest.mark.parametrize("form", ["--json", "--html", "--markdown"])
def test_a_file_that_cannot_be_written_is_told_before_the_work(
    envscaler: Command, logs: tuple[Path, Path], tmp_path: Path, form: str
) -> None:
    for place, told in (
        (tmp_path, "Is a directory"),
        (tmp_path / "no" / "file", "No such file or directory"),
    ):
        code, out, err = envscaler("compare", *logs, form, place)
        assert (code, out) == (2, "")
        assert f"{place}: cannot be written: {told}" in err and err.count("\n") == 1


@pytest.mark.parametrize("plan", [(), ("--plan", "0.1")])
def test_a_log_is_not_compared_with_itself(
    envscaler: Command, logs: tuple[Path, Path], tmp_path: Path, plan: tuple[str, ...]
) -> None:
    copy = tmp_path / "copy.eval"
    copy.write_bytes(logs[0].read_bytes())
    for again in (logs[0], logs[0].parent, copy):
        code, out, err = envscaler("compare", logs[0], again, *plan)
        assert (code, out) == (2, "")
        assert "the same log is on both sides" in err and err.count("\n") == 1


def test_a_difference_that_can_never_be_found_is_not_named(
    envscaler: Command, tmp_path: Path
) -> None:
    few: Runs = {f"s{n}": [float(n == 0)] for n in range(5)}
    more: Runs = {f"s{n}": [float(n < 3)] for n in range(5)}
    paths = [
        write_log(tmp_path / side, runs, model=f"acme/{side}")
        for side, runs in (("b", few), ("a", more))
    ]
    numbers = tmp_path / "numbers.json"
    code, out, _ = envscaler("compare", *paths, "--json", numbers)
    assert code == 0
    (row,) = (line for line in out.splitlines() if "5 in 5 samples" in line)
    assert re.split(r"\s{2,}", row.strip())[-1] == "-"
    assert json.loads(numbers.read_text("utf-8"))["comparisons"][0]["detectable"] is None


def test_it_plans_with_and_without_logs(envscaler: Command, logs: tuple[Path, Path]) -> None:
    code, out, _ = envscaler("compare", "--plan", "0.05", "--cluster-correlation", "0")
    assert code == 0
    assert re.search(r"^1 +1078 +1078 +1078$", out, re.MULTILINE)
    code, out, _ = envscaler("compare", *logs, "--plan", "0.05")
    assert code == 0
    assert "found with the 16 samples at hand" in out and "Assumed: ICC of trials 0.45." in out


def test_it_shows_a_run_beside_the_published_figures(envscaler: Command, tmp_path: Path) -> None:
    path = write_log(
        tmp_path,
        {"a": [{"reward": 1.0}]},
        task="envscaler_eval/tau_bench",
        sample_metadata={"*": {"domain": "retail", "split": "test", "task": 1}},
    )
    code, out, _ = envscaler("compare", path, "--published")
    assert code == 0
    assert "this run" in out and "published" in out and "arXiv 2601.05808" in out
