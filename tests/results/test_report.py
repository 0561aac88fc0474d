"""A report shows what logs say: the same figures as elsewhere, and nothing unsaid."""

import re
from pathlib import Path

import pytest
from inspect_ai.log import EvalError, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.results.comparing import Accepted, compare
from envscaler_eval.results.report.build import ReportOptions, build_report
from envscaler_eval.results.report.environments import environment_scores
from envscaler_eval.results.report.labels import folded
from envscaler_eval.results.report.page import as_html
from envscaler_eval.results.report.runs import runs_of
from envscaler_eval.results.report.scores import run_scores
from envscaler_eval.results.report.viewer import Viewer
from envscaler_eval.results.tables import with_interval
from tests.results.log_files import write_log
from tests.results.report_logs import (
    better_run,
    faulty_run,
    report,
    section_of,
    texts,
    write_run,
)


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    return faulty_run(tmp_path / "weak.eval")


@pytest.fixture
def strong(tmp_path: Path) -> Path:
    return better_run(tmp_path / "strong.eval")


def test_scores_and_differences_are_those_of_the_comparison(weak: Path, strong: Path) -> None:
    sides = [read_results([weak]), read_results([strong])]
    found = compare(sides, Accepted())
    page = report(weak, strong)
    primary = next(one for one in found.comparisons if one.primary)
    scores = {row[1]: row for row in texts(section_of(page, "scores").tables[0])}
    assert scores["acme/weak"][3] == with_interval(primary.before.mean)
    assert scores["acme/strong"][3] == with_interval(primary.after.mean)
    assert scores["acme/weak"][4] == "0.000"
    difference = f"{primary.difference.value:+.3f}"
    assert texts(section_of(page, "comparison").tables[0])[0][6].startswith(difference)


def test_one_model_is_compared_with_nobody(weak: Path) -> None:
    assert "comparison" not in [section.id for section in report(weak).sections]


def test_missing_episodes_are_counted_and_bounded(weak: Path) -> None:
    page = report(weak)
    assert ("episodes", "16, 1 missing") in page.facts
    (row,) = texts(section_of(page, "scores").tables[1])
    assert row[2:4] == ["15", "1 error"]
    (score,) = run_scores(runs_of(read_results([weak]), False), None, None)
    assert row[4] == f"{score.side.bounds.low:.3f} to {score.side.bounds.high:.3f}"


def test_a_model_without_any_score_is_told(weak: Path, tmp_path: Path) -> None:
    runs = {"a": [Score(value=1.0)]}
    broken = write_log(tmp_path, runs, model="acme/down", name="down.eval")
    log = read_eval_log(str(broken))
    assert log.samples is not None
    log.samples[0].error = EvalError(message="down", traceback="", traceback_ansi="")
    write_eval_log(log, str(broken))
    section = section_of(report(weak, broken), "scores")
    assert "quiz, acme/down: no episode has a score; run them" in section.notes[0]
    assert section_of(report(broken), "scores").figures == ()


def test_a_measured_floor_stands_beside_the_score(weak: Path, tmp_path: Path) -> None:
    floor = read_results([write_run(tmp_path / "noop.eval", "policy/noop", {})])
    page = build_report(read_results([weak]), floor, Viewer(None, {}), ReportOptions())
    assert texts(section_of(page, "scores").tables[0])[0][4] == "0.500"


def test_environments_have_the_mean_of_their_samples(weak: Path, strong: Path) -> None:
    (found,) = environment_scores(runs_of(read_results([weak, strong]), False), None)
    assert found.runs == ("acme/weak", "acme/strong")
    assert found.means["env_0"] == (0.125, 1.0)
    assert found.means["env_7"] == (0.5, 0.5)
    assert found.samples["env_0"] == 2


def test_a_sample_of_several_environments_counts_in_each(tmp_path: Path) -> None:
    log = write_log(
        tmp_path,
        {"a": [1.0], "b": [0.0]},
        task="envscaler_eval/bfcl_multi_turn",
        scorer="accuracy",
        sample_metadata={
            "a": {"number": 1, "category": "base", "classes": ["TradingBot", "TravelAPI"]},
            "b": {"number": 2, "category": "base", "classes": ["TravelAPI"]},
        },
    )
    (found,) = environment_scores(runs_of(read_results([log]), False), None)
    assert found.means == {"bfcl/TradingBot": (1.0,), "bfcl/TravelAPI": (0.5,)}


def test_samples_of_a_task_without_environments_are_on_no_map(tmp_path: Path) -> None:
    page = report(write_log(tmp_path, {"a": [1.0], "b": [0.0]}))
    assert [section.id for section in page.sections] == ["scores", "failures", "samples"]


def test_logs_that_tell_how_much_was_trained_on_make_a_curve(tmp_path: Path) -> None:
    logs = [
        write_run(tmp_path / f"{n}.eval", "acme/one", {}, metadata={"environments": n})
        for n in (0, 20)
    ]
    page = report(*logs)
    figure = section_of(page, "scaling").figures[0]
    assert texts(figure.tables[0])[0][0] == "0"
    names = [row[1] for row in texts(section_of(page, "scores").tables[0])]
    assert names == ["acme/one, 0 environments", "acme/one, 20 environments"]
    assert "scaling" not in [section.id for section in report(logs[0]).sections]


def test_logs_that_tell_their_training_mode_are_compared_by_it(tmp_path: Path) -> None:
    logs = [
        write_run(tmp_path / f"{mode}.eval", "acme/one", {}, metadata={"training_mode": mode})
        for mode in ("none", "conv")
    ]
    (table,) = section_of(report(*logs), "modes").tables
    assert [row[0] for row in texts(table)] == ["none", "conv"]


def test_what_cannot_be_compared_is_told_and_the_rest_shown(weak: Path, tmp_path: Path) -> None:
    other = better_run(tmp_path / "other.eval", task_version=2)
    section = section_of(report(weak, other), "comparison")
    assert section.tables == ()
    assert "not compared" in section.notes[0]
    assert "the task's version" in section.notes[0]
    accepted = report(weak, other, options=ReportOptions(accepted=Accepted(differences=True)))
    assert section_of(accepted, "comparison").tables


def test_a_sample_twice_is_refused_unless_it_counts_as_a_trial(weak: Path, tmp_path: Path) -> None:
    again = faulty_run(tmp_path / "again.eval")
    with pytest.raises(UsageError, match="--repeats-as-trials"):
        report(weak, again)
    page = report(weak, again, options=ReportOptions(accepted=Accepted(repeats=True)))
    assert ("episodes", "32, 2 missing") in page.facts


def test_an_unknown_score_is_refused(weak: Path) -> None:
    with pytest.raises(UsageError, match="there is no score 'joy'; it has reward"):
        report(weak, options=ReportOptions(score="joy"))


def test_long_names_are_folded_and_nothing_of_them_is_lost() -> None:
    name = "acme/a-model-with-a-name-that-has-no-end-235B (error_rate=0.3, seed=1)"
    lines = folded(name).split("\n")
    assert max(map(len, lines)) <= 24
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert folded("policy/oracle") == "policy/oracle"


def test_the_page_tells_figures_in_words_and_loads_nothing(weak: Path, strong: Path) -> None:
    text = as_html(report(weak, strong))
    drawings = re.findall(r"<svg\b[^>]*>", text)
    assert len(drawings) >= 4
    for drawing in drawings:
        title, told = re.search(r'role="img" aria-labelledby="(\S+) (\S+)"', drawing).groups()  # type: ignore[union-attr]
        assert re.search(f'<title id="{title}">[^<]+</title><desc id="{told}">[^<]+</desc>', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "://" not in text
    assert "<script" not in text
    for reference in re.findall(r'(?:href="#|url\(#)([^")]+)', text):
        assert reference in ids


def test_words_from_logs_are_no_markup(weak: Path) -> None:
    text = as_html(report(weak, options=ReportOptions(title="<i>")))
    assert "&lt;b&gt;wish&lt;/b&gt; 0" in text
    assert "<b>wish" not in text
    assert "<h1>&lt;i&gt;</h1>" in text


def test_published_figures_stand_beside(tmp_path: Path) -> None:
    log = write_log(
        tmp_path,
        {f"retail/test/{n}": [Score(value=1.0)] for n in range(2)},
        task="envscaler_eval/tau_bench",
        scorer="reward",
        sample_metadata={"*": {"domain": "retail", "split": "test", "task": 1}},
    )
    (table,) = section_of(report(log, options=ReportOptions(published=True)), "published").tables
    assert texts(table)[0][2] == "this run"
    assert "published" in {row[2] for row in texts(table)}
