"""Statistics of paired, clustered results; numbers in, numbers out."""

from envscaler_eval.results.statistics.agreement import (
    intraclass_correlation,
    mcnemar,
    noise_flip_rate,
    pass_hat_k,
)
from envscaler_eval.results.statistics.clustered import (
    FEWEST_CLUSTERS,
    ClusteredMean,
    DifferenceTest,
    clustered_mean,
    difference_test,
)
from envscaler_eval.results.statistics.holm import holm
from envscaler_eval.results.statistics.power import (
    POWER,
    Variation,
    assumed_variation,
    detectable_difference,
    samples_needed,
)
from envscaler_eval.results.statistics.sign_flip import Floats, SignFlip, sign_flip

__all__ = [
    "FEWEST_CLUSTERS",
    "POWER",
    "ClusteredMean",
    "DifferenceTest",
    "Floats",
    "SignFlip",
    "Variation",
    "assumed_variation",
    "clustered_mean",
    "detectable_difference",
    "difference_test",
    "holm",
    "intraclass_correlation",
    "mcnemar",
    "noise_flip_rate",
    "pass_hat_k",
    "samples_needed",
    "sign_flip",
]
