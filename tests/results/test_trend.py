"""Page's test agrees with scipy's where that holds, and stays exact with ties."""

import numpy as np
import pytest
from scipy.stats import page_trend_test

from envscaler_eval.results.trend import page_trend


def test_without_ties_it_is_page_s_test() -> None:
    values = np.random.default_rng(4).normal(size=(12, 4)) + 0.4 * np.arange(4)
    expected = page_trend_test(values, method="exact")
    found = page_trend(values)
    assert found.statistic == expected.statistic
    assert found.p == pytest.approx(expected.pvalue, rel=0.15)
    assert found.blocks == 12


def test_an_order_that_holds_in_every_block_is_significant_and_its_reverse_is_not() -> None:
    values = np.tile([0.1, 0.4, 0.8], (8, 1))
    assert page_trend(values).p < 0.001
    assert page_trend(values[:, ::-1]).p > 0.99


def test_ties_do_not_raise_the_rate_of_false_positives() -> None:
    chance = np.random.default_rng(0)
    found = [
        page_trend(chance.integers(0, 2, (10, 4)).astype(float), seed, 400).p <= 0.05
        for seed in range(300)
    ]
    assert np.mean(found) <= 0.08


def test_what_never_varies_shows_no_trend() -> None:
    assert page_trend(np.ones((5, 3)), permutations=200).p == 1
