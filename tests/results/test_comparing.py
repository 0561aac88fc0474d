"""Comparing models: paired, clustered, and honest about what is missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai.scorer import Score
from scipy.stats import permutation_test

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.results.comparing import Accepted, compare
from envscaler_eval.results.comparison import Comparison, ComparisonReport
from tests.results.log_files import Outcome, Runs, write_log

ENVS = {f"s{number}": {"env": f"e{number // 2}", "mode": "non_conv"} for number in range(20)}
"""Twenty samples of ten environments."""


def _runs(*values: Sequence[Outcome]) -> Runs:
    return {sample: its for sample, its in zip(ENVS, values, strict=True)}


def _envscaler(folder: Path, runs: Runs, **more: Any) -> Path:
    return write_log(
        folder,
        {
            sample: [
                {"reward": outcome} if isinstance(outcome, float) else outcome for outcome in its
            ]
            for sample, its in runs.items()
        },
        task="envscaler_eval/envscaler",
        sample_metadata=ENVS,
        **more,
    )


def _compare(*paths: Path, **more: Any) -> ComparisonReport:
    return compare([read_results([path]) for path in paths], Accepted(), **more)


def _primary(report: ComparisonReport) -> Comparison:
    (found,) = (one for one in report.comparisons if one.primary)
    return found


def _random(seed: int, epochs: int = 1) -> list[list[float]]:
    """Return runs that are 0 or 1 for each sample."""
    random = np.random.default_rng(seed)
    return [[float(value) for value in random.integers(0, 2, epochs)] for _ in ENVS]


def test_the_difference_is_paired_averaged_over_epochs_and_tested_by_cluster(
    tmp_path: Path,
) -> None:
    before, after = _random(1, epochs=2), _random(2, epochs=3)
    found = _primary(
        _compare(
            _envscaler(tmp_path / "b", _runs(*before)), _envscaler(tmp_path / "a", _runs(*after))
        )
    )
    differences = np.mean(after, axis=1) - np.mean(before, axis=1)
    sums = differences.reshape(10, 2).sum(axis=1)
    wanted = permutation_test(
        [sums],
        lambda values, axis: np.sum(values, axis=axis),
        permutation_type="samples",
        n_resamples=2**12,
        vectorized=True,
    )
    assert (found.samples, found.difference.clusters) == (20, 10)
    assert found.cluster_name == "environment"
    assert found.difference.value == pytest.approx(differences.mean())
    assert found.difference.p == found.p_holm == pytest.approx(wanted.pvalue)
    assert found.before.mean.value == pytest.approx(np.mean(before))


def test_the_order_of_samples_does_not_matter(tmp_path: Path) -> None:
    before, after = _runs(*_random(1)), _runs(*_random(2))
    turned = {sample: after[sample] for sample in reversed(ENVS)}
    base = _envscaler(tmp_path / "b", before)
    one, other = (
        _primary(_compare(base, _envscaler(tmp_path / name, runs)))
        for name, runs in (("a", after), ("t", turned))
    )
    assert one.difference == other.difference


def test_flips_are_counted_both_ways(tmp_path: Path) -> None:
    before = _runs(*[[1.0]] * 8, *[[0.0]] * 12)
    after = _runs(*[[0.0]] * 2, *[[1.0]] * 9, *[[0.0]] * 9)
    found = _primary(
        _compare(_envscaler(tmp_path / "b", before), _envscaler(tmp_path / "a", after))
    )
    assert (found.gained, found.lost) == (3 / 20, 2 / 20)
    assert found.binary and found.mcnemar == 1.0


def test_with_several_runs_flips_are_those_of_single_runs_and_there_is_no_mcnemar(
    tmp_path: Path,
) -> None:
    before, after = _runs(*[[1.0, 0.0]] * 20), _runs(*[[1.0, 1.0]] * 20)
    found = _primary(
        _compare(_envscaler(tmp_path / "b", before), _envscaler(tmp_path / "a", after))
    )
    assert (found.gained, found.lost, found.mcnemar) == (0.5, 0, None)
    assert found.before.pass_hat == {1: 0.5, 2: 0}
    assert found.after.pass_hat == {1: 1, 2: 1}
    assert (found.before.noise_flips, found.after.noise_flips) == (1, 0)


def test_parts_of_a_benchmark_weigh_the_same_however_many_tasks_they_have(tmp_path: Path) -> None:
    sizes = {"retail": 9, "airline": 3}
    metadata = {
        f"{domain}/test/{task}": {"domain": domain, "split": "test", "task": task}
        for domain, size in sizes.items()
        for task in range(size)
    }
    paths = [
        write_log(
            tmp_path / name,
            {sample: [{"reward": value[its["domain"]]}] for sample, its in metadata.items()},  # type: ignore[index]
            task="envscaler_eval/tau_bench",
            sample_metadata=metadata,
        )
        for name, value in (
            ("b", {"retail": 0.0, "airline": 0.0}),
            ("a", {"retail": 0.0, "airline": 1.0}),
        )
    ]
    report = _compare(*paths)
    by_group = {one.group: one for one in report.comparisons}
    assert by_group[None].difference.value == pytest.approx(0.5)
    assert by_group["retail"].difference.value == 0
    assert by_group["airline"].difference.value == 1
    assert not by_group["airline"].primary
    assert by_group["airline"].difference.low is None
    assert by_group[None].floor is None


def test_samples_that_neither_model_was_run_on_weigh_as_any_other_in_the_bounds(
    tmp_path: Path,
) -> None:
    metadata = {
        f"{domain}/{task}": {"domain": domain, "split": "test", "task": task}
        for domain in ("retail", "airline")
        for task in range(5)
    }
    runs: Runs = {sample: [{"reward": 1.0}] for sample in metadata} | {"retail/9": [None]}
    paths = [
        write_log(tmp_path / name, runs, task="envscaler_eval/tau_bench", sample_metadata=metadata)
        for name in ("b", "a")
    ]
    found = _primary(_compare(*paths))
    assert found.before.mean.value == pytest.approx(1)
    assert (found.before.bounds.low, found.before.bounds.high) == pytest.approx((10 / 11, 1))


def test_variants_of_an_item_are_one_cluster(tmp_path: Path) -> None:
    metadata = {
        f"{category}_{number}": {"category": category, "number": str(number)}
        for category in ("base", "miss_func", "miss_param", "long_context")
        for number in range(9)
    }
    paths = [
        write_log(
            tmp_path / name,
            {sample: [{"accuracy": value}] for sample in metadata},
            task="envscaler_eval/bfcl_multi_turn",
            sample_metadata=metadata,
        )
        for name, value in (("b", 0.0), ("a", 1.0))
    ]
    found = _primary(_compare(*paths))
    assert (found.samples, found.difference.clusters) == (36, 9)
    assert found.difference.p == 2 / 2**9
    assert found.floor is not None and found.floor.value == 0


def test_missing_episodes_are_bounded_and_a_sign_that_rests_on_them_is_told(
    tmp_path: Path,
) -> None:
    before = _runs(*[[0.0]] * 20)
    after = _runs([1.0], [RuntimeError("down")], [None], *[[0.0]] * 17)
    report = _compare(
        _envscaler(tmp_path / "b", before), _envscaler(tmp_path / "a", after, model="acme/two")
    )
    found = _primary(report)
    assert found.samples == 18
    assert found.difference.value == pytest.approx(1 / 18)
    assert found.after.missing == {"error": 1, "not run": 1}
    assert (found.after.bounds.low, found.after.bounds.high) == pytest.approx((1 / 20, 3 / 20))
    assert not found.sign_is_open
    assert not any("sign" in note for note in report.notes)


def test_a_comparison_whose_sign_depends_on_missing_episodes_says_so(tmp_path: Path) -> None:
    before = _runs(*[[RuntimeError("down")]] * 2, *[[0.0]] * 18)
    after = _runs(*[[0.0]] * 19, [1.0])
    report = _compare(_envscaler(tmp_path / "b", before), _envscaler(tmp_path / "a", after))
    found = _primary(report)
    assert found.sign_is_open
    assert (found.bounds.low, found.bounds.high) == pytest.approx((-0.05, 0.05))
    assert any("the sign of the difference depends on missing episodes" in n for n in report.notes)


def test_samples_that_cannot_be_scored_are_left_out_and_told(tmp_path: Path) -> None:
    ungraded = Score.unscored(reason="the scenario has no checks")
    runs = _runs([ungraded], *[[1.0]] * 19)
    report = _compare(_envscaler(tmp_path / "b", runs), _envscaler(tmp_path / "a", runs))
    assert _primary(report).samples == 19
    assert not _primary(report).before.missing
    assert any("1 samples cannot be scored, such as s0" in note for note in report.notes)


def test_episodes_that_end_by_a_fault_of_the_user_are_counted_apart(tmp_path: Path) -> None:
    paths = [
        write_log(tmp_path / ending, {f"s{n}": [0.0] for n in range(9)}, facts={"ended_by": ending})
        for ending in ("user_fault", "completed")
    ]
    found = _primary(_compare(*paths))
    assert (found.before.user_faults, found.after.user_faults) == (9, 0)
    assert (found.before.episodes, found.before.missing) == (9, {})


def test_faults_that_the_user_made_on_the_way_are_counted_and_no_score_of_the_model(
    tmp_path: Path,
) -> None:
    paths = [
        write_log(
            tmp_path / name,
            {f"s{n}": [{"reward": 1.0, "simulated_user": fault}] for n in range(9)},
            task="envscaler_eval/envscaler",
            sample_metadata={"*": {"env": "hotel", "mode": "conv"}},
        )
        for name, fault in (("b", 0.0), ("a", 1.0))
    ]
    (found,) = _compare(*paths).comparisons
    assert (found.score, found.before.user_faults, found.after.user_faults) == ("reward", 0, 9)


def test_holm_covers_the_tasks_and_not_their_parts(tmp_path: Path) -> None:
    for side, seed in (("b", 1), ("a", 2)):
        for task in range(3):
            write_log(
                tmp_path / side,
                _runs(*_random(10 * task + seed)),
                name=f"{task}.eval",
                task=f"quiz{task}",
            )
    report = _compare(tmp_path / "b", tmp_path / "a")
    p_values = [one.difference.p for one in report.comparisons]
    assert len(p_values) == 3
    lowest = min(report.comparisons, key=lambda one: one.difference.p)
    assert lowest.p_holm == pytest.approx(min(1, 3 * lowest.difference.p))


def test_the_largest_gains_and_losses_are_by_environment(tmp_path: Path) -> None:
    before = _runs(*[[0.5]] * 20)
    after = _runs([1.0], [1.0], [0.0], [0.0], *[[0.5]] * 16)
    changes = _primary(
        _compare(_envscaler(tmp_path / "b", before), _envscaler(tmp_path / "a", after))
    ).changes
    assert (changes[0].cluster, changes[0].difference, changes[0].samples) == ("e0", 0.5, 2)
    assert (changes[-1].cluster, changes[-1].difference) == ("e1", -0.5)


def test_several_models_are_each_compared_with_the_first(tmp_path: Path) -> None:
    paths = [
        _envscaler(tmp_path / name, _runs(*_random(seed)), model=f"acme/{name}")
        for seed, name in enumerate(("base", "sft", "rl"))
    ]
    report = _compare(*paths)
    assert [one.after.player for one in report.comparisons] == ["acme/sft", "acme/rl"]
    assert {one.before.player for one in report.comparisons} == {"acme/base"}


def test_models_that_share_a_name_are_told_apart_by_their_logs(tmp_path: Path) -> None:
    paths = [_envscaler(tmp_path / name, _runs(*_random(1))) for name in ("b", "a")]
    found = _primary(_compare(*paths))
    assert found.before.player == f"acme/one [{paths[0]}]"
    assert found.after.player == f"acme/one [{paths[1]}]"


def test_a_measured_floor_takes_the_place_of_the_known_one(tmp_path: Path) -> None:
    paths = [_envscaler(tmp_path / name, _runs(*_random(1))) for name in ("b", "a")]
    assert _primary(_compare(*paths)).floor is not None
    noop = _envscaler(tmp_path / "n", _runs(*[[0.25]] * 20), model="policy/noop")
    floor = _primary(_compare(*paths, floor=read_results([noop]))).floor
    assert floor is not None
    assert floor.value == pytest.approx(0.25) and floor.source.startswith("policy/noop")
    partial = _envscaler(tmp_path / "p", _runs([None], *[[0.0]] * 19), model="policy/noop")
    with pytest.raises(UsageError, match="the floor has no score of sample s0"):
        _compare(*paths, floor=read_results([partial]))


@pytest.mark.parametrize(("split", "known"), [("test", 19 / 50), ("other", None)])
def test_the_floor_of_tau_bench_is_known_for_whole_splits(
    split: str, known: float | None, tmp_path: Path
) -> None:
    metadata = {
        f"airline/{split}/{task}": {"domain": "airline", "split": split, "task": task}
        for task in range(50)
    }
    paths = [
        write_log(
            tmp_path / name,
            {sample: [{"reward": 1.0}] for sample in metadata},
            task="envscaler_eval/tau_bench",
            sample_metadata=metadata,
        )
        for name in ("b", "a")
    ]
    floor = _primary(_compare(*paths)).floor
    assert (floor and floor.value) == known


@pytest.mark.parametrize(("protocol", "known"), [("official", 0), ("paper", None)])
def test_acebench_has_a_floor_of_zero_by_the_official_protocol_alone(
    protocol: str, known: float | None, tmp_path: Path
) -> None:
    paths = [
        write_log(
            tmp_path / name,
            {f"s{n}": [{"end_to_end": 1.0}] for n in range(9)},
            task="envscaler_eval/acebench_agent",
            task_args={"protocol": protocol},
            sample_metadata={"*": {"task": "t", "subset": "multi_step"}},
        )
        for name in ("b", "a")
    ]
    floor = _primary(_compare(*paths)).floor
    assert (floor and floor.value) == known
