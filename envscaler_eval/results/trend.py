"""Page's test: do measurements rise in an order that was told beforehand?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Array = NDArray[np.float64]

PERMUTATIONS = 10_000


@dataclass(frozen=True)
class Trend:
    """What Page's test found.

    Attributes:
        statistic: Page's L.
        p: The chance of an L as large if the order meant nothing. One-sided.
        blocks: How many blocks were ranked.
    """

    statistic: float
    p: float
    blocks: int


def page_trend(values: Array, seed: int = 0, permutations: int = PERMUTATIONS) -> Trend:
    """Test whether values rise from column to column, block by block (Page 1963).

    The chance comes from shuffling each block's ranks. So ties, which scores of 0 and 1
    have plenty of, are no matter; the tabled and asymptotic forms of scipy.stats.
    page_trend_test assume that there are none.

    Args:
        values: Blocks that are independent of each other (rows) by conditions in the
            order that is expected (columns).
        seed: Fixes the shuffling.
        permutations: How often to shuffle.

    Returns:
        The statistic and the p-value, at least 1 / (permutations + 1).
    """
    ranks = rankdata(values, axis=1)
    places = np.arange(1, values.shape[1] + 1, dtype=np.float64)
    observed = float((ranks @ places).sum())
    chance = np.random.default_rng(seed)
    # Shuffling the places of each block instead of its ranks gives the same sums.
    sums = np.zeros(permutations)
    for block in ranks:
        shuffled = chance.permuted(np.tile(places, (permutations, 1)), axis=1)
        sums += shuffled @ block
    reached = int((sums >= observed - 1e-9).sum())
    return Trend(observed, (reached + 1) / (permutations + 1), len(values))
