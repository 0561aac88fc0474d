"""What must not be compared is refused in one line that says what to do."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import GenerateConfig

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.results.comparing import Accepted, compare
from envscaler_eval.results.comparison import ComparisonReport
from tests.results.log_files import Runs, write_log

RUNS: Runs = {f"s{number}": [1.0] for number in range(10)}
OURS: dict[str, Any] = {
    "task": "envscaler_eval/envscaler",
    "sample_metadata": {"*": {"env": "hotel", "mode": "conv"}},
}


def _compare(tmp_path: Path, accept: bool = False, repeats: bool = False) -> ComparisonReport:
    sides = [read_results([tmp_path / side]) for side in ("before", "after")]
    return compare(sides, Accepted(accept, repeats))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"task_version": 1}, {"task_version": 2}, "the task's version, 1 and 2"),
        (
            {"task_args": {"protocol": "default"}},
            {"task_args": {"protocol": "paper"}},
            "argument protocol, default and paper",
        ),
        (
            {"roles": {"user": "acme/user"}},
            {"roles": {"user": "acme/other"}},
            "model role user, acme/user and acme/other",
        ),
        (
            {"metadata": {"packs": {"hotel": "a" * 64, "clinic": "c" * 64}}},
            {"metadata": {"packs": {"hotel": "b" * 64}}},
            "the data of hotel, aaaaaaaaaaaa and bbbbbbbbbbbb",
        ),
    ],
)
def test_other_conditions_are_refused_or_accepted_and_told(
    before: dict[str, Any], after: dict[str, Any], told: str, tmp_path: Path
) -> None:
    for side, spec in (("before", before), ("after", after)):
        write_log(tmp_path / side, RUNS, model=f"acme/{side}", **OURS, **spec)
    with pytest.raises(UsageError, match=f"differ in {told}; .*--accept-differences"):
        _compare(tmp_path)
    report = _compare(tmp_path, accept=True)
    assert any(f"differ in {told}" in note for note in report.notes)


def test_arguments_that_only_choose_samples_may_differ(tmp_path: Path) -> None:
    for side, envs in (("before", None), ("after", "hotel")):
        write_log(tmp_path / side, RUNS, **OURS, task_args={"envs": envs, "trials": 1})
    assert _compare(tmp_path).comparisons


def test_other_samples_are_refused_or_what_is_common_is_compared(tmp_path: Path) -> None:
    write_log(tmp_path / "before", RUNS, model="acme/one")
    write_log(tmp_path / "after", {**RUNS, "s99": [0.0]}, model="acme/two")
    with pytest.raises(UsageError, match="1 samples are in the logs of acme/two only, such as s99"):
        _compare(tmp_path)
    report = _compare(tmp_path, accept=True)
    assert report.comparisons[0].samples == 10
    assert any("s" in note and "left out" in note for note in report.notes)


def test_a_sample_in_two_logs_of_a_model_is_refused_or_counted_as_trials(tmp_path: Path) -> None:
    write_log(tmp_path / "before", RUNS, name="1.eval")
    write_log(tmp_path / "before", {sample: [0.0] for sample in RUNS}, name="2.eval")
    write_log(tmp_path / "after", RUNS)
    with pytest.raises(UsageError, match=r"s0 of quiz is in .*1.eval and in .*2.eval; .*--repeats"):
        _compare(tmp_path)
    (found,) = _compare(tmp_path, repeats=True).comparisons
    assert found.before.episodes == 20
    assert found.before.mean.value == 0.5
    assert found.before.pass_hat == {1: 0.5, 2: 0}


def test_logs_of_several_models_on_one_side_are_refused(tmp_path: Path) -> None:
    write_log(tmp_path / "before", RUNS, name="1.eval", model="acme/one")
    write_log(tmp_path / "before", RUNS, name="2.eval", model="acme/two")
    write_log(tmp_path / "after", RUNS)
    with pytest.raises(UsageError, match=r"BEFORE holds logs of several models: acme/one .*two"):
        _compare(tmp_path)


def test_oracles_that_err_at_other_rates_are_several_models(tmp_path: Path) -> None:
    for name, rate in (("1.eval", 0.1), ("2.eval", 0.3)):
        write_log(
            tmp_path / "before",
            RUNS,
            name=name,
            model="policy/oracle",
            model_args={"error_rate": rate},
        )
    write_log(tmp_path / "after", RUNS)
    with pytest.raises(UsageError, match=r"policy/oracle \(error_rate=0.1\)"):
        _compare(tmp_path)


def test_other_tasks_are_refused(tmp_path: Path) -> None:
    write_log(tmp_path / "before", RUNS, model="acme/one", task="quiz")
    write_log(tmp_path / "after", RUNS, model="acme/two", task="riddle")
    with pytest.raises(UsageError, match="no task in common: quiz and riddle"):
        _compare(tmp_path)


def test_a_task_that_only_one_has_is_told(tmp_path: Path) -> None:
    write_log(tmp_path / "before", RUNS, model="acme/one")
    write_log(tmp_path / "after", RUNS, name="1.eval", model="acme/two")
    write_log(tmp_path / "after", RUNS, name="2.eval", model="acme/two", task="riddle")
    assert "riddle: only one of acme/one and acme/two has it" in _compare(tmp_path).notes


def test_a_score_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    for side in ("before", "after"):
        write_log(tmp_path / side, RUNS)
    sides = [read_results([tmp_path / side]) for side in ("before", "after")]
    with pytest.raises(UsageError, match="there is no score 'elegance' in both; use one of judge"):
        compare(sides, Accepted(), score="elegance")


def test_other_settings_of_generation_are_told(tmp_path: Path) -> None:
    for side, temperature in (("before", 0.0), ("after", 0.7)):
        write_log(
            tmp_path / side, RUNS, model_generate_config=GenerateConfig(temperature=temperature)
        )
    assert (
        "quiz: generation differs in setting temperature, 0.0 and 0.7" in _compare(tmp_path).notes
    )
