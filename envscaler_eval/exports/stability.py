"""How steady a model's reward is on each sample, and which samples it can learn from.

Trainers that compare the rollouts of a group learn nothing from a group whose
rollouts all earn the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pvariance

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results


@dataclass(frozen=True)
class SampleStability:
    """What a model's runs of one sample earned.

    Attributes:
        sample: The sample's id.
        rewards: The rewards, one for each run that has one.
        successes: How many of the runs did all that was asked.
    """

    sample: str
    rewards: tuple[float, ...]
    successes: int

    @property
    def mean(self) -> float:
        """The mean reward."""
        return fmean(self.rewards)

    @property
    def variance(self) -> float:
        """The variance of the reward over the runs, as a group's baseline has it."""
        return pvariance(self.rewards)

    @property
    def success_rate(self) -> float:
        """The share of runs that did all that was asked."""
        return self.successes / len(self.rewards)


@dataclass(frozen=True)
class Stability:
    """What a model's runs of a set of samples earned.

    Attributes:
        model: The model.
        samples: The samples with at least two rewards, by name.
        single: How many samples were left out for having fewer.
    """

    model: str
    samples: tuple[SampleStability, ...]
    single: int

    @property
    def zero_variance(self) -> float:
        """The share of groups whose runs all earned the same."""
        return fmean(len(set(sample.rewards)) == 1 for sample in self.samples)

    def in_band(self, low: float, high: float) -> tuple[str, ...]:
        """Return the samples whose success rate is at least `low` and at most `high`."""
        return tuple(s.sample for s in self.samples if low <= s.success_rate <= high)


def read_stability(logs: Sequence[str | Path], score: str = "reward") -> Stability:
    """Read a model's repeated runs from Inspect logs.

    Args:
        logs: Logs of one model, or folders that hold some, made with `-T trials=n`.
        score: The score whose steadiness is asked for.

    Raises:
        UsageError: The logs are of several models, lack the score, or have no
            sample with two rewards.
    """
    table = read_results(logs)
    models = sorted({log.player for log in table.logs})
    if len(models) > 1:
        raise UsageError(f"the logs are of {', '.join(models)}; give those of one model")
    for log in table.logs:
        for name in (score, "success"):
            if name not in log.scores:
                raise UsageError(f"{log.path}: has no score '{name}', but {', '.join(log.scores)}")
    earned: dict[str, list[tuple[float, bool]]] = {}
    for row in table.rows:
        if row.missing is None:
            runs = earned.setdefault(row.sample, [])
            runs.append((row.scores[score], row.scores["success"] == 1.0))
    groups = {sample: runs for sample, runs in earned.items() if len(runs) > 1}
    if not groups:
        raise UsageError("no sample has two rewards; run the task with -T trials=4 or more")
    samples = tuple(
        SampleStability(
            sample, tuple(reward for reward, _ in runs), sum(success for _, success in runs)
        )
        for sample, runs in sorted(groups.items())
    )
    return Stability(models[0], samples, len(earned) - len(groups))
