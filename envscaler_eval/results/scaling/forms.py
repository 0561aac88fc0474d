"""Forms that a curve over the number of environments may have, fitted and compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

Array = NDArray[np.float64]

# Powers between which a saturating curve can be told from a logarithm and from a step.
_POWERS = (0.05, 5.0)


@dataclass(frozen=True)
class Fit:
    """A form, fitted.

    Attributes:
        form: `flat`, `log` or `power`.
        formula: The form, in words of its parameters; n is the number of environments.
        parameters: Name -> value.
        misfit: Squared distances of the points from the curve, in the metric of their
            covariance: chi-square with `freedom` degrees of freedom if the form holds
            and nothing but the choice of samples makes the points scatter.
        freedom: Points less parameters.
        aic: Akaike's criterion, misfit plus twice the parameters; the lowest is best.
        weight: The form's Akaike weight among those that were fitted.
    """

    form: str
    formula: str
    parameters: dict[str, float]
    misfit: float
    freedom: int
    aic: float
    weight: float

    @property
    def open_ended(self) -> bool:
        """Whether it is a power so low that the points tell of no ceiling."""
        return self.form == "power" and self.parameters["power"] < 1.01 * _POWERS[0]

    def curve(self, sizes: Sequence[float] | Array) -> Array:
        """Return the score that the form gives to numbers of environments."""
        grown = np.log1p(np.asarray(sizes, dtype=np.float64))
        given = self.parameters
        if self.form == "flat":
            return np.full_like(grown, given["level"])
        if self.form == "log":
            return given["base"] + given["slope"] * grown
        return given["ceiling"] - given["gap"] * np.exp(-given["power"] * grown)


def fit_forms(
    sizes: Sequence[int], means: Array, covariance: Array, clusters: int
) -> tuple[Fit, ...]:
    """Fit a flat line, a logarithm and a saturating power, and compare them by AIC.

    The points are weighted by the covariance of their means, which the samples give. As it
    is not a parameter of the fit, the criterion wants no correction for few points (the c
    of AICc corrects for a variance that is estimated from the residuals). That it comes from
    so many clusters is corrected for (Hartlap et al. 2007, arXiv astro-ph/0608064).

    Args:
        sizes: Numbers of environments, different ones.
        means: The score at each.
        covariance: The covariance of the means, estimated from clusters.
        clusters: How many.

    Returns:
        The forms, in order of their parameters. A form with no fewer parameters than
        there are points is left out, and all are if the clusters are too few to estimate
        the covariance.
    """
    points = len(sizes)
    if clusters <= points + 2 or np.linalg.matrix_rank(covariance) < points:
        return ()
    certainty = (clusters - points - 2) / (clusters - 1)
    metric = certainty * np.linalg.inv(covariance)
    grown = np.log1p(np.asarray(sizes, dtype=np.float64))
    ones = np.ones_like(grown)

    def fitted(columns: Sequence[Array]) -> tuple[Array, float]:
        design = np.stack(columns, axis=1)
        normal = np.asarray(design.T @ metric @ design, dtype=np.float64)
        found: Array = np.linalg.solve(normal, design.T @ metric @ means).astype(np.float64)
        rest = means - design @ found
        return found, float(rest @ metric @ rest)

    level, flat = fitted([ones])
    results: list[tuple[str, str, dict[str, float], float]] = [
        ("flat", "level", {"level": float(level[0])}, flat)
    ]
    if points > 2:
        (base, slope), log = fitted([ones, grown])
        told = {"base": float(base), "slope": float(slope)}
        results.append(("log", "base + slope ln(1 + n)", told, log))
    if points > 3:
        power = _best_power(lambda power: fitted([ones, -np.exp(-power * grown)])[1])
        (ceiling, gap), saturating = fitted([ones, -np.exp(-power * grown)])
        told = {"ceiling": float(ceiling), "gap": float(gap), "power": power}
        results.append(("power", "ceiling - gap (1 + n)^-power", told, saturating))
    return _compared(results, points)


def _best_power(misfit: Callable[[float], float]) -> float:
    """Return the power of least misfit; the other parameters are linear given it."""
    low, high = np.log(_POWERS)
    grid = np.linspace(low, high, 25)
    start = int(np.argmin([misfit(float(np.exp(point))) for point in grid]))
    bounds = (float(grid[max(0, start - 1)]), float(grid[min(len(grid) - 1, start + 1)]))
    found = minimize_scalar(lambda point: misfit(float(np.exp(point))), bounds=bounds)
    return float(np.exp(found.x))


def _compared(
    results: Sequence[tuple[str, str, dict[str, float], float]], points: int
) -> tuple[Fit, ...]:
    criteria = np.array([misfit + 2 * len(told) for _, _, told, misfit in results])
    likelihoods = np.exp(-(criteria - criteria.min()) / 2)
    weights = likelihoods / likelihoods.sum()
    return tuple(
        Fit(form, formula, told, misfit, points - len(told), float(criterion), float(weight))
        for (form, formula, told, misfit), criterion, weight in zip(
            results, criteria, weights, strict=True
        )
    )
