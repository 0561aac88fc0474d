"""A report's links lead to the samples in Inspect's viewer."""

from pathlib import Path

import pytest
from inspect_ai.log import bundle_log_dir

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.results.report.viewer import Viewer, find_viewer
from tests.results.log_files import write_log
from tests.results.report_logs import better_run, faulty_run, report, section_of, texts


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    return faulty_run(tmp_path / "weak.eval")


@pytest.fixture
def strong(tmp_path: Path) -> Path:
    return better_run(tmp_path / "strong.eval")


def test_samples_are_listed_worst_first_and_many_only_in_part(tmp_path: Path) -> None:
    scores = {f"s{number:04}": [number / 2100] for number in range(2100)}
    section = section_of(report(write_log(tmp_path, scores)), "samples")
    (table,) = section.folded
    rows = texts(table)
    assert len(rows) == 2000
    assert rows[0] == ["s0000", "0.000"]
    assert section.notes[0] == "2000 of 2100 samples are listed, of the lowest scores"


def test_a_bundle_has_the_samples_by_name_of_log_and_id(tmp_path: Path) -> None:
    weak = faulty_run(tmp_path / "logs" / "deep" / "weak.eval")
    bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "my viewer"))
    table = read_results([weak])
    viewer = find_viewer(str(tmp_path / "my viewer"), table, tmp_path / "out" / "report.html")
    assert viewer.sample(table.rows[0]) == (
        "../my%20viewer/index.html#/logs/deep/weak.eval/samples/sample/env_0%2Fs0/1/"
    )


def test_a_served_viewer_has_the_logs_below_the_folder_of_all(tmp_path: Path) -> None:
    table = read_results(
        [faulty_run(tmp_path / "a" / "weak.eval"), better_run(tmp_path / "b" / "strong.eval")]
    )
    viewer = find_viewer("https://acme.example/view", table, tmp_path / "report.html")
    assert viewer.sample(table.rows[-1]) == (
        "https://acme.example/view/#/logs/b/strong.eval/samples/sample/env_7%2Fs1/1/"
    )


def test_a_folder_without_a_viewer_is_refused(weak: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="inspect view bundle"):
        find_viewer(str(tmp_path), read_results([weak]), tmp_path / "report.html")


def test_logs_that_the_viewer_lacks_are_told(weak: Path, strong: Path) -> None:
    viewer = Viewer("view/index.html", {str(weak): "weak.eval"})
    section = section_of(report(weak, strong, viewer=viewer), "samples")
    assert section.notes == (f"the viewer lacks 1 logs, such as {strong}",)
    cells = section.folded[0].rows[0]
    assert [cell.href is not None for cell in cells] == [False, True, False]


def test_a_link_leads_to_the_worst_trial(tmp_path: Path) -> None:
    log = write_log(tmp_path, {"a": [1.0, 0.0, 0.5]})
    page = report(log, viewer=Viewer("view/", {str(log): "log.eval"}))
    ((_, cell),) = section_of(page, "samples").folded[0].rows
    assert cell.text == "0.500"
    assert cell.href == "view/#/logs/log.eval/samples/sample/a/2/"
