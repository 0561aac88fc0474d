"""Plans: what a difference needs, from assumptions or from logs."""

from pathlib import Path

import numpy as np
import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.results import ResultTable, read_results
from envscaler_eval.results.pairing import SampleRuns
from envscaler_eval.results.plan_basis import (
    Assumptions,
    basis_from_assumptions,
    basis_from_runs,
)
from envscaler_eval.results.planning import plan_tables
from tests.results.log_files import write_log


def _players(samples: int, epochs: int) -> list[dict[str, SampleRuns]]:
    """Return two players as the default assumptions have them: ICC 0.45, correlation 0.7."""
    random = np.random.default_rng(8)
    spread = np.sqrt(0.25 * 0.45)
    shared = random.normal(0, spread * np.sqrt(0.7), samples)
    sides = []
    for _ in range(2):
        skill = 0.5 + shared + random.normal(0, spread * np.sqrt(0.3), samples)
        values = skill[:, None] + random.normal(0, np.sqrt(0.25 * 0.55), (samples, epochs))
        sides.append(
            {
                str(place): SampleRuns(str(place), str(place), None, its, 0, False)
                for place, its in enumerate(values)
            }
        )
    return sides


def test_logs_that_are_as_assumed_give_the_plan_of_the_assumptions() -> None:
    before, after = _players(samples=6000, epochs=4)
    assumed = basis_from_assumptions(Assumptions()).variation
    seen = basis_from_runs("quiz", before, after, Assumptions())
    assert seen.assumed == ()
    assert seen.variation.tasks == pytest.approx(assumed.tasks, rel=0.1)
    assert seen.variation.trials == pytest.approx(assumed.trials, rel=0.05)


def test_one_log_leaves_the_likeness_of_the_models_to_be_assumed() -> None:
    before, _ = _players(samples=6000, epochs=4)
    assumed = basis_from_assumptions(Assumptions()).variation
    seen = basis_from_runs("quiz", before, None, Assumptions())
    assert seen.assumed == ("correlation of the models 0.7",)
    assert seen.variation.tasks == pytest.approx(assumed.tasks, rel=0.1)


def test_single_trials_leave_their_likeness_to_be_assumed() -> None:
    before, after = _players(samples=6000, epochs=1)
    seen = basis_from_runs("quiz", before, after, Assumptions())
    assert seen.assumed == ("ICC of trials 0.45",)
    assumed = basis_from_assumptions(Assumptions()).variation
    assert seen.variation.error(100, 1) == pytest.approx(assumed.error(100, 1), rel=0.05)


def _table(tmp_path: Path) -> ResultTable:
    random = np.random.default_rng(3)
    write_log(
        tmp_path,
        {f"s{n}": [float(value) for value in random.integers(0, 2, 2)] for n in range(40)},
        sample_metadata={f"s{n}": {"topic": n // 4} for n in range(40)},
    )
    return read_results([tmp_path], "topic")


def test_more_trials_need_fewer_samples_and_find_more_with_those_at_hand(tmp_path: Path) -> None:
    (table,) = plan_tables(0.1, [_table(tmp_path)], Assumptions())
    assert table.headers[-1] == "found with the 40 samples at hand"
    samples = [int(row[1]) for row in table.rows]
    found = [float(row[-1]) for row in table.rows]
    assert samples == sorted(samples, reverse=True) and samples[0] > samples[-1]
    assert found == sorted(found, reverse=True) and found[0] > found[-1]
    assert all(int(row[1]) == 4 * int(row[2]) for row in table.rows)


def _found_by(tmp_path: Path, *values: float, model_correlation: float = 0.7) -> set[str]:
    write_log(tmp_path, {f"s{n}": [value] for n, value in enumerate(values)})
    (table,) = plan_tables(
        0.1, [read_results([tmp_path])], Assumptions(model_correlation=model_correlation)
    )
    return {row[-1] for row in table.rows}


def test_what_the_samples_at_hand_can_never_find_is_not_named(tmp_path: Path) -> None:
    assert _found_by(tmp_path / "five", 0.5, 0.51, 0.5, 0.52, 0.5) == {"-"}
    assert "-" not in _found_by(tmp_path / "six", 0.5, 0.51, 0.5, 0.52, 0.5, 0.51)
    assert "-" in _found_by(tmp_path / "wide", 0, 1, 0, 1, 0, 1, model_correlation=0)
    # Of scores beyond 0 to 1 nobody knows how far they reach.
    assert "-" not in _found_by(tmp_path / "steps", 0, 10, 0, 10, 0, 10, model_correlation=0)


def test_samples_of_large_clusters_say_less() -> None:
    def samples(**assumed: float) -> int:
        (table,) = plan_tables(0.1, [], Assumptions(**assumed))
        return int(table.rows[0][1])

    alone = samples(cluster_correlation=0.1, cluster_size=1)
    together = samples(cluster_correlation=0.1, cluster_size=10)
    assert together == pytest.approx(1.9 * alone, rel=0.1)


def test_what_cannot_be_planned_is_refused(tmp_path: Path) -> None:
    table = _table(tmp_path)
    with pytest.raises(UsageError, match=r"the difference is 5; use a number above 0, at most 1"):
        plan_tables(5, [], Assumptions())
    with pytest.raises(UsageError, match=r"mean is 1.2; use a number from 0 to 1"):
        plan_tables(0.1, [], Assumptions(mean=1.2))
    with pytest.raises(UsageError, match=r"power is 1; use a number between 0 and 1"):
        plan_tables(0.1, [], Assumptions(power=1))
    with pytest.raises(UsageError, match=r"cluster_size is 0; use 1 or more"):
        plan_tables(0.1, [], Assumptions(cluster_size=0))
    with pytest.raises(UsageError, match="the logs of two models at most"):
        plan_tables(0.1, [table] * 3, Assumptions())
