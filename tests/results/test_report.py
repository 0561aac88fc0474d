"""A report shows what logs say: the same figures as elsewhere, and nothing unsaid."""

import re
from pathlib import Path

import pytest
from inspect_ai.log import EvalError, bundle_log_dir, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.results.comparing import Accepted, compare
from envscaler_eval.results.report.build import ReportOptions, build_report
from envscaler_eval.results.report.environments import environment_scores
from envscaler_eval.results.report.failed_checks import failed_checks
from envscaler_eval.results.report.failures import run_failures
from envscaler_eval.results.report.labels import folded
from envscaler_eval.results.report.page import Page, PageTable, Section, as_html
from envscaler_eval.results.report.runs import runs_of
from envscaler_eval.results.report.scores import run_scores
from envscaler_eval.results.report.viewer import Viewer, find_viewer
from envscaler_eval.results.tables import with_interval
from tests.pack_files import write_pack
from tests.results.log_files import write_log
from tests.results.report_logs import better_run, faulty_run, outcome, write_run

NOWHERE = Viewer(None, {})


def _report(*logs: Path, viewer: Viewer = NOWHERE, **options: object) -> Page:
    return build_report(read_results(logs), None, viewer, ReportOptions(**options))  # type: ignore[arg-type]


def _section(page: Page, name: str) -> Section:
    (section,) = [section for section in page.sections if section.id == name]
    return section


def _rows(table: PageTable) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    return faulty_run(tmp_path / "weak.eval")


@pytest.fixture
def strong(tmp_path: Path) -> Path:
    return better_run(tmp_path / "strong.eval")


def test_scores_and_differences_are_those_of_the_comparison(weak: Path, strong: Path) -> None:
    sides = [read_results([weak]), read_results([strong])]
    report = compare(sides, Accepted())
    page = _report(weak, strong)
    primary = next(one for one in report.comparisons if one.primary)
    scores = {row[1]: row for row in _rows(_section(page, "scores").tables[0])}
    assert scores["acme/weak"][3] == with_interval(primary.before.mean)
    assert scores["acme/strong"][3] == with_interval(primary.after.mean)
    assert scores["acme/weak"][4] == "0.000"
    difference = f"{primary.difference.value:+.3f}"
    assert _rows(_section(page, "comparison").tables[0])[0][6].startswith(difference)


def test_one_model_is_compared_with_nobody(weak: Path) -> None:
    assert "comparison" not in [section.id for section in _report(weak).sections]


def test_missing_episodes_are_counted_and_bounded(weak: Path) -> None:
    page = _report(weak)
    assert ("episodes", "16, 1 missing") in page.facts
    (row,) = _rows(_section(page, "scores").tables[1])
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
    section = _section(_report(weak, broken), "scores")
    assert "quiz, acme/down: no episode has a score; run them" in section.notes[0]
    assert _section(_report(broken), "scores").figures == ()


def test_a_measured_floor_stands_beside_the_score(weak: Path, tmp_path: Path) -> None:
    floor = read_results([write_run(tmp_path / "noop.eval", "policy/noop", {})])
    page = build_report(read_results([weak]), floor, NOWHERE, ReportOptions())
    assert _rows(_section(page, "scores").tables[0])[0][4] == "0.500"


def test_endings_and_faults_are_counted_by_kind(weak: Path) -> None:
    (found,) = run_failures(runs_of(read_results([weak]), False))
    assert {ending: len(rows) for ending, rows in found.endings.items()} == {
        "completed": 13,
        "step_limit": 1,
        "user_fault": 1,
        "missing: error": 1,
    }
    faults = {(one.family, one.kind): (one.episodes, one.times) for one in found.faults}
    assert faults == {
        ("tool errors", "failed"): (2, 4),
        ("model faults", "unknown_tool"): (1, 2),
        ("simulated user's faults", "empty"): (1, 3),
        ("verdicts", "something else changed"): (1, 1),
    }
    assert found.faults[0].example.sample == "env_0/s0"


def test_a_word_of_the_user_is_no_fault_of_the_tools(tmp_path: Path) -> None:
    # The score of the simulated user tells its faults by the same words as benchmarks tell theirs.
    facts = {"tool_errors": {"failed": 1}, "user_faults": {"malformed": 2}, "malformed": 2}
    log = write_log(tmp_path, {"a": [1.0]}, facts=facts)
    (found,) = run_failures(runs_of(read_results([log]), False))
    assert [(one.family, one.kind) for one in found.faults] == [
        ("tool errors", "failed"),
        ("simulated user's faults", "malformed"),
    ]


def test_what_could_not_be_scored_is_missing_however_it_ended(tmp_path: Path) -> None:
    unscored = Score.unscored(reason="no checks", metadata={"ended_by": "completed"})
    log = write_log(tmp_path, {"a": [1.0], "b": [unscored]})
    (found,) = run_failures(runs_of(read_results([log]), False))
    assert {ending: len(rows) for ending, rows in found.endings.items()} == {
        "completed": 1,
        "missing: unscored": 1,
    }


def test_faults_of_benchmarks_are_counted_too(tmp_path: Path) -> None:
    log = write_log(
        tmp_path,
        {"a": [1.0]},
        facts={"failed_calls": 2, "error_type": "wrong state", "malformed": 0},
    )
    (found,) = run_failures(runs_of(read_results([log]), False))
    assert [(one.family, one.kind, one.times) for one in found.faults] == [
        ("tool errors", "failed", 2),
        ("verdicts", "wrong state", 1),
    ]


def test_checks_that_fail_most_come_first_with_their_words(weak: Path, strong: Path) -> None:
    runs = runs_of(read_results([weak, strong]), False)
    found, count = failed_checks(runs, 3)
    assert (len(found), count) == (3, 16)
    assert [one.environment for one in found] == ["env_7", "env_7", "env_0"]
    assert found[0].failed == {"acme/weak": 1.0, "acme/strong": 1.0}
    assert found[2].failed == {"acme/weak": 1.0, "acme/strong": 0.0}
    assert found[2].about == "<b>wish</b> 0"
    assert found[0].about is None


def test_checks_have_the_words_of_their_pack_while_it_is_the_same(tmp_path: Path) -> None:
    from envscaler_eval.pack import read_pack

    pack = read_pack(write_pack(tmp_path))
    scenario = pack.scenarios[0]

    def told(pack_hash: str) -> str | None:
        metadata = {
            **{"env": pack.info.id, "scenario": scenario.id, "mode": "non_conv"},
            **{"pack": str(pack.folder), "pack_hash": pack_hash},
        }
        log = write_log(
            tmp_path / pack_hash[:4],
            {"a": [outcome(0.0, failed_checks=[1])]},
            task="envscaler_eval/envscaler",
            scorer="checklist",
            sample_metadata={"*": metadata},
        )
        (check,), _ = failed_checks(runs_of(read_results([log]), False), 9)
        return check.about

    assert told(pack.hash) == scenario.checks[1].about
    assert told("another") is None


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
    page = _report(write_log(tmp_path, {"a": [1.0], "b": [0.0]}))
    assert [section.id for section in page.sections] == ["scores", "failures", "samples"]


def test_logs_that_tell_how_much_was_trained_on_make_a_curve(tmp_path: Path) -> None:
    logs = [
        write_run(tmp_path / f"{n}.eval", "acme/one", {}, metadata={"environments": n})
        for n in (0, 20)
    ]
    page = _report(*logs)
    figure = _section(page, "scaling").figures[0]
    assert _rows(figure.tables[0])[0][0] == "0"
    names = [row[1] for row in _rows(_section(page, "scores").tables[0])]
    assert names == ["acme/one, 0 environments", "acme/one, 20 environments"]
    assert "scaling" not in [section.id for section in _report(logs[0]).sections]


def test_logs_that_tell_their_training_mode_are_compared_by_it(tmp_path: Path) -> None:
    logs = [
        write_run(tmp_path / f"{mode}.eval", "acme/one", {}, metadata={"training_mode": mode})
        for mode in ("none", "conv")
    ]
    (table,) = _section(_report(*logs), "modes").tables
    assert [row[0] for row in _rows(table)] == ["none", "conv"]


def test_what_cannot_be_compared_is_told_and_the_rest_shown(weak: Path, tmp_path: Path) -> None:
    other = better_run(tmp_path / "other.eval", task_version=2)
    section = _section(_report(weak, other), "comparison")
    assert section.tables == ()
    assert "not compared" in section.notes[0]
    assert "the task's version" in section.notes[0]
    accepted = _report(weak, other, accepted=Accepted(differences=True))
    assert _section(accepted, "comparison").tables


def test_a_sample_twice_is_refused_unless_it_counts_as_a_trial(weak: Path, tmp_path: Path) -> None:
    again = faulty_run(tmp_path / "again.eval")
    with pytest.raises(UsageError, match="--repeats-as-trials"):
        _report(weak, again)
    page = _report(weak, again, accepted=Accepted(repeats=True))
    assert ("episodes", "32, 2 missing") in page.facts


def test_an_unknown_score_is_refused(weak: Path) -> None:
    with pytest.raises(UsageError, match="there is no score 'joy'; it has reward"):
        _report(weak, score="joy")


def test_samples_are_listed_worst_first_and_many_only_in_part(tmp_path: Path) -> None:
    scores = {f"s{number:04}": [number / 2100] for number in range(2100)}
    section = _section(_report(write_log(tmp_path, scores)), "samples")
    (table,) = section.folded
    rows = _rows(table)
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
    section = _section(_report(weak, strong, viewer=viewer), "samples")
    assert section.notes == (f"the viewer lacks 1 logs, such as {strong}",)
    cells = section.folded[0].rows[0]
    assert [cell.href is not None for cell in cells] == [False, True, False]


def test_a_link_leads_to_the_worst_trial(tmp_path: Path) -> None:
    log = write_log(tmp_path, {"a": [1.0, 0.0, 0.5]})
    page = _report(log, viewer=Viewer("view/", {str(log): "log.eval"}))
    ((_, cell),) = _section(page, "samples").folded[0].rows
    assert cell.text == "0.500"
    assert cell.href == "view/#/logs/log.eval/samples/sample/a/2/"


def test_long_names_are_folded_and_nothing_of_them_is_lost() -> None:
    name = "acme/a-model-with-a-name-that-has-no-end-235B (error_rate=0.3, seed=1)"
    lines = folded(name).split("\n")
    assert max(map(len, lines)) <= 24
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert folded("policy/oracle") == "policy/oracle"


def test_the_page_tells_figures_in_words_and_loads_nothing(weak: Path, strong: Path) -> None:
    text = as_html(_report(weak, strong))
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
    text = as_html(_report(weak, title="<i>"))
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
    (table,) = _section(_report(log, published=True), "published").tables
    assert _rows(table)[0][2] == "this run"
    assert "published" in {row[2] for row in _rows(table)}
