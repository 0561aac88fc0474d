"""Runs made up for tests: scores of clustered samples about a planted level."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from envscaler_eval.results.aligning import score_grids
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.grid import ScoreGrid
from envscaler_eval.results.labels import by_player, read_labelled
from tests.results.log_files import write_log


def planted_grid(
    folder: Path,
    levels: Mapping[str, float],
    *,
    clusters: int = 12,
    spread: float = 0.03,
    seed: int = 0,
) -> ScoreGrid:
    """Return a grid of runs on three samples of each environment, steps told.

    Args:
        folder: Where the logs go.
        levels: Label -> the run's mean score, but for chance.
        clusters: How many environments.
        spread: Standard deviation of each score about the environment's level.
        seed: Fixes the chance.
    """
    chance = np.random.default_rng(seed)
    samples = [f"e{env}/s{number}" for env in range(clusters) for number in range(3)]
    metadata = {sample: {"env": sample.partition("/")[0], "mode": "non_conv"} for sample in samples}
    own = np.repeat(chance.normal(0, 0.05, clusters), 3)
    arguments = []
    for label, level in levels.items():
        scores = level + own + chance.normal(0, spread, len(samples))
        path = write_log(
            folder / f"run-{label}",
            {sample: [float(score)] for sample, score in zip(samples, scores, strict=True)},
            task="envscaler_eval/envscaler",
            scorer="reward",
            sample_metadata=metadata,
            facts={"steps": 10},
        )
        arguments.append(f"{label}={path}")
    (grid,) = score_grids(read_labelled(arguments, by_player), Accepted())
    return grid
