"""The statistics against scipy, statsmodels and counts by hand."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test
from statsmodels.stats.contingency_tables import (  # type: ignore[import-untyped]
    mcnemar as statsmodels_mcnemar,
)
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]
from statsmodels.stats.power import TTestPower  # type: ignore[import-untyped]

from envscaler_eval.results.statistics import (
    FEWEST_CLUSTERS,
    Floats,
    clustered_mean,
    detectable_difference,
    difference_test,
    holm,
    intraclass_correlation,
    mcnemar,
    noise_flip_rate,
    pass_hat_k,
    sign_flip,
)


def _example(clusters: int, seed: int = 1) -> tuple[Floats, list[int], Floats]:
    """Return differences, their clusters of two to six samples, and weights."""
    random = np.random.default_rng(seed)
    names = [name for name in range(clusters) for _ in range(random.integers(2, 7))]
    effects = random.normal(0.1, 0.2, clusters)
    values = np.array([effects[name] for name in names]) + random.normal(0, 0.3, len(names))
    return values, names, random.uniform(0.5, 2, len(names))


def _sums(values: Floats, names: list[int]) -> tuple[Floats, Floats]:
    count = max(names) + 1
    sums = np.array([values[np.array(names) == name].sum() for name in range(count)])
    return sums, np.bincount(names).astype(float)


def _scipy_p(sums: Floats) -> float:
    """Return the p-value of scipy, from all sign patterns."""
    found = permutation_test(
        [sums],
        lambda values, axis: np.sum(values, axis=axis),
        permutation_type="samples",
        n_resamples=2**20,
        vectorized=True,
        batch=4096,
    )
    return float(found.pvalue)


def test_the_exact_p_value_is_that_of_scipy() -> None:
    values, names, _ = _example(10)
    sums, sizes = _sums(values, names)
    wanted = _scipy_p(sums)
    found = sign_flip(sums, sizes)
    assert found.exact
    assert found.p == pytest.approx(wanted)


def test_the_p_value_from_random_patterns_is_near_the_exact_one_of_scipy() -> None:
    values, names, _ = _example(18, seed=3)
    sums, sizes = _sums(values, names)
    wanted = _scipy_p(sums)
    found = sign_flip(sums, sizes)
    assert not found.exact
    assert found.p == pytest.approx(wanted, abs=0.012)


@pytest.mark.parametrize("clusters", [8, 11])
def test_the_interval_holds_just_the_means_that_the_test_does_not_reject(clusters: int) -> None:
    values, names, _ = _example(clusters)
    sums, sizes = _sums(values, names)
    found = sign_flip(sums, sizes)
    for mean, rejected in (
        (found.low - 1e-6, True),
        (found.low + 1e-6, False),
        (found.high - 1e-6, False),
        (found.high + 1e-6, True),
    ):
        assert (sign_flip(sums - mean * sizes, sizes).p <= 0.05) == rejected


def test_the_same_data_give_the_same_p_value_in_every_run() -> None:
    values, names, weights = _example(30)
    assert difference_test(values, names, weights) == difference_test(values, names, weights)


def test_five_equal_clusters_cannot_reject_at_five_percent() -> None:
    found = difference_test(np.ones(5), list("abcde"))
    assert found.p == 2 / 2**5
    assert found.low is found.high is None


def test_without_any_difference_there_is_nothing_to_reject() -> None:
    found = difference_test(np.zeros(12), list(range(12)))
    assert (found.p, found.low, found.high) == (1, 0, 0)


def test_an_interval_takes_as_many_clusters_as_are_promised() -> None:
    few = difference_test(np.arange(7.0), list(range(7)))
    enough = difference_test(np.arange(8.0), list(range(8)))
    assert FEWEST_CLUSTERS == 8
    assert few.low is None and enough.low is not None


def test_error_and_interval_of_a_mean_are_those_of_statsmodels() -> None:
    values, names, _ = _example(12)
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(names)}, use_t=True
    )
    found = clustered_mean(values, names)
    assert found.error == pytest.approx(fitted.bse[0])
    assert (found.low, found.high) == pytest.approx(tuple(fitted.conf_int()[0]))


def test_the_error_of_a_weighted_mean_is_that_of_statsmodels() -> None:
    values, names, weights = _example(12)
    # statsmodels documents an array and declares a float.
    declared: Any = weights
    fitted = sm.WLS(values, np.ones(len(values)), declared).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(names)}
    )
    found = clustered_mean(values, names, weights)
    assert found.value == pytest.approx(fitted.params[0])
    assert found.error == pytest.approx(fitted.bse[0])


def test_holm_is_that_of_statsmodels() -> None:
    p_values = [0.04, 0.001, 0.3, 0.012, 0.02, 0.9]
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_mcnemar_is_that_of_statsmodels() -> None:
    for gained, lost in ((9, 2), (3, 3), (0, 6)):
        wanted = getattr(statsmodels_mcnemar([[20, gained], [lost, 20]]), "pvalue")  # noqa: B009
        assert mcnemar(gained, lost) == pytest.approx(wanted)
    assert mcnemar(0, 0) == 1


def test_the_intraclass_correlation_is_that_of_an_analysis_of_variance() -> None:
    values, names, _ = _example(9)
    groups = np.array(names)
    dummies = np.equal.outer(groups, np.arange(9)).astype(float)
    within = sm.OLS(values, dummies).fit().mse_resid
    sizes = np.bincount(names)
    means = np.array([values[groups == name].mean() for name in range(9)])
    between = (sizes * (means - values.mean()) ** 2).sum() / 8
    average = (len(values) - (sizes**2).sum() / len(values)) / 8
    wanted = (between - within) / (between + (average - 1) * within)
    assert intraclass_correlation(values, names) == pytest.approx(wanted)


def test_the_intraclass_correlation_is_one_where_groups_agree() -> None:
    assert intraclass_correlation(np.array([1.0, 1, 0, 0]), [1, 1, 2, 2]) == 1


def test_the_intraclass_correlation_is_none_where_it_is_not_defined() -> None:
    assert intraclass_correlation(np.array([1.0, 0, 1]), [1, 2, 3]) is None
    assert intraclass_correlation(np.array([1.0, 0]), [1, 1]) is None
    assert intraclass_correlation(np.ones(4), [1, 1, 2, 2]) is None


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=6), min_size=1))
def test_pass_hat_k_and_noise_flips_are_what_drawing_runs_gives(runs: list[list[float]]) -> None:
    arrays = [np.array(values) for values in runs]
    pairs = [
        [(one, other) for i, one in enumerate(values) for j, other in enumerate(values) if i != j]
        for values in runs
    ]
    both = np.mean([np.mean([one * other for one, other in its]) for its in pairs])
    differ = np.mean([np.mean([one != other for one, other in its]) for its in pairs])
    assert pass_hat_k(arrays, 2, np.ones(len(runs))) == pytest.approx(both)
    assert noise_flip_rate(arrays) == pytest.approx(differ)


def test_pass_hat_k_takes_k_runs_of_each_sample() -> None:
    assert pass_hat_k([np.ones(3), np.ones(2)], 3, np.ones(2)) is None
    assert pass_hat_k([np.ones(3), np.zeros(3)], 3, np.array([3.0, 1.0])) == 0.75


@pytest.mark.parametrize("clusters", [8, 20, 100])
def test_the_detectable_difference_has_the_power_that_statsmodels_gives_it(clusters: int) -> None:
    deviation = 0.4
    found = detectable_difference(deviation / np.sqrt(clusters), clusters)
    assert found is not None
    power = TTestPower().power(found / deviation, clusters, alpha=0.05)
    # The usual sum of quantiles is a little too careful with few clusters.
    assert 0.78 < power < 0.83


@pytest.mark.parametrize("clusters", [1, 2, 5])
def test_a_test_that_can_never_reject_finds_no_difference(clusters: int) -> None:
    assert difference_test(np.arange(1.0, clusters + 1), list(range(clusters))).p > 0.05
    assert detectable_difference(0.01, clusters) is None
    assert detectable_difference(0.01, 6) is not None


def test_no_difference_is_found_that_is_larger_than_scores_allow_or_rests_on_no_variation() -> None:
    found = detectable_difference(0.4, 8)
    assert found is not None and found > 1
    assert detectable_difference(0.4, 8, largest=1.0) is None
    assert detectable_difference(0.1, 8, largest=1.0) == detectable_difference(0.1, 8)
    assert detectable_difference(0.0, 8) is None


def test_every_sign_pattern_is_tried_once() -> None:
    sums = np.array([3.0, 1.0, 0.5])
    totals = [abs(np.dot(signs, sums)) for signs in product((1, -1), repeat=3)]
    assert sign_flip(sums, np.ones(3)).p == np.mean([total >= 4.5 for total in totals])
