"""A report counts what went wrong by kind, and names the checks that fail."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from envscaler_eval.results import read_results
from envscaler_eval.results.report.failed_checks import failed_checks
from envscaler_eval.results.report.failures import run_failures
from envscaler_eval.results.report.runs import runs_of
from tests.pack_files import write_pack
from tests.results.log_files import write_log
from tests.results.report_logs import better_run, faulty_run, outcome


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    return faulty_run(tmp_path / "weak.eval")


@pytest.fixture
def strong(tmp_path: Path) -> Path:
    return better_run(tmp_path / "strong.eval")


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
