"""The form of a planted curve is found, and a flat one is not called growth."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from envscaler_eval.results.scaling.forms import Array, Fit, fit_forms

SIZES = np.array([0, 20, 50, 100, 141])
CURVES: dict[str, Callable[[Array], Array]] = {
    "flat": lambda n: np.full_like(n, 0.4),
    "log": lambda n: 0.3 + 0.04 * np.log1p(n),
    "power": lambda n: 0.5 - 0.2 * (1 + n) ** -1.0,
}


def _fitted(curve: Callable[[Array], Array], clusters: int, seed: int) -> tuple[Fit, ...]:
    """Fit the means of clusters that differ from each other and vary about the curve."""
    chance = np.random.default_rng(seed)
    scores = (
        curve(SIZES.astype(np.float64))
        + chance.normal(0, 0.2, (clusters, 1))
        + chance.normal(0, 0.03, (clusters, len(SIZES)))
    )
    return fit_forms(SIZES.tolist(), scores.mean(axis=0), np.cov(scores.T) / clusters, clusters)


@pytest.mark.parametrize("clusters", [12, 60])
@pytest.mark.parametrize("planted", CURVES)
def test_the_planted_form_has_the_lowest_aic(planted: str, clusters: int) -> None:
    found = Counter(
        min(_fitted(CURVES[planted], clusters, seed), key=lambda fit: fit.aic).form
        for seed in range(60)
    )
    # AIC takes a form with one parameter too many in 16% of cases, by its nature.
    assert found[planted] >= 0.75 * 60


def test_the_parameters_of_a_clean_curve_come_back() -> None:
    means = 0.55 - 0.3 * (1 + SIZES.astype(np.float64)) ** -0.4
    fits = fit_forms(SIZES.tolist(), means, np.eye(5) * 1e-6, 1000)
    power = {fit.form: fit for fit in fits}["power"]
    assert power.parameters == pytest.approx({"ceiling": 0.55, "gap": 0.3, "power": 0.4}, abs=1e-3)
    assert power.curve(SIZES.tolist()) == pytest.approx(means, abs=1e-5)
    assert power.weight == max(fit.weight for fit in fits)


def test_the_misfit_of_the_true_form_is_chi_square() -> None:
    misfits = [
        {fit.form: fit for fit in _fitted(CURVES["log"], 20, seed)}["log"] for seed in range(200)
    ]
    assert {fit.freedom for fit in misfits} == {3}
    assert np.mean([fit.misfit for fit in misfits]) == pytest.approx(3, abs=0.6)


def test_growth_without_an_end_has_no_ceiling() -> None:
    endless = 0.1 + 0.05 * np.log1p(SIZES.astype(np.float64))
    fits = {fit.form: fit for fit in fit_forms(SIZES.tolist(), endless, np.eye(5) * 1e-5, 1000)}
    assert fits["power"].open_ended
    assert not fits["log"].open_ended
    assert not {fit.form: fit for fit in _fitted(CURVES["power"], 40, 0)}["power"].open_ended


def test_weights_add_up_to_one() -> None:
    assert sum(fit.weight for fit in _fitted(CURVES["log"], 20, 0)) == pytest.approx(1)


def test_forms_that_the_points_cannot_tell_are_left_out() -> None:
    means, covariance = np.array([0.1, 0.2, 0.3]), np.eye(3) * 1e-4
    assert [fit.form for fit in fit_forms([0, 20, 50], means, covariance, 50)] == ["flat", "log"]
    assert fit_forms([0, 20, 50], means, covariance, 5) == ()
    assert fit_forms([0, 20, 50], means, np.zeros((3, 3)), 50) == ()
