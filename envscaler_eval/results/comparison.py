"""What a comparison of two models says, as data."""

from collections.abc import Mapping
from dataclasses import dataclass

from envscaler_eval.results.floors import Floor
from envscaler_eval.results.missing import Bounds
from envscaler_eval.results.published import Published
from envscaler_eval.results.statistics import ClusteredMean, DifferenceTest


@dataclass(frozen=True)
class Side:
    """One of the two models.

    Attributes:
        player: The model.
        mean: Its score.
        bounds: Where the score lies whatever the missing episodes would have
            scored.
        episodes: How many episodes have a score.
        missing: How many have none, by reason: faults of the infrastructure.
        user_faults: In how many episodes the simulated user made a fault; they are
            scored.
        pass_hat: k -> pass^k, for scores that are 0 or 1.
        trial_correlation: ICC(1) of runs of one sample.
        noise_flips: How often two of its runs of one sample differ, for scores
            that are 0 or 1.
        steps: Mean generations of an episode.
        tokens: Mean tokens of an episode.
        cost: Mean cost of an episode in dollars, if known.
    """

    player: str
    mean: ClusteredMean
    bounds: Bounds
    episodes: int
    missing: Mapping[str, int]
    user_faults: int
    pass_hat: Mapping[int, float]
    trial_correlation: float | None
    noise_flips: float | None
    steps: float | None
    tokens: float
    cost: float | None


@dataclass(frozen=True)
class ClusterChange:
    """How a cluster has changed.

    Attributes:
        cluster: Its name.
        samples: How many samples it has.
        before: Their mean score before.
        after: Their mean score after.
    """

    cluster: str
    samples: int
    before: float
    after: float

    @property
    def difference(self) -> float:
        """How much better it is after."""
        return self.after - self.before


@dataclass(frozen=True)
class Comparison:
    """Two models on one task, by one score.

    Attributes:
        task: The task.
        version: Its version.
        score: The score.
        group: The part of the task, or `None` for all of it.
        primary: Whether the score is the one that the task is judged by, and all of
            it is compared: these are the tests that Holm's correction covers.
        macro: Whether the task's parts weigh the same.
        cluster_name: What a cluster is.
        samples: How many samples were compared.
        before: The model before.
        after: The model after.
        difference: The mean difference of a sample, after less before.
        p_holm: Its p-value, corrected for the number of primary tests.
        detectable: The true difference that this design finds four times in five, or
            `None` if it finds none that can be.
        cluster_correlation: ICC(1) of differences within a cluster.
        gained: For scores that are 0 or 1 the share of sample runs that go from 0
            to 1, else the share of samples that are better.
        lost: Likewise those that go from 1 to 0, or are worse.
        binary: Whether all scores are 0 or 1.
        mcnemar: The p-value of McNemar's exact test, if scores are 0 or 1 and each
            sample was run once.
        bounds: Where the difference lies whatever the missing episodes would have
            scored.
        floor: What doing nothing earns, if known.
        changes: The clusters' changes, the greatest gain first.
    """

    task: str
    version: str
    score: str
    group: str | None
    primary: bool
    macro: bool
    cluster_name: str
    samples: int
    before: Side
    after: Side
    difference: DifferenceTest
    p_holm: float | None
    detectable: float | None
    cluster_correlation: float | None
    gained: float
    lost: float
    binary: bool
    mcnemar: float | None
    bounds: Bounds
    floor: Floor | None
    changes: tuple[ClusterChange, ...]

    @property
    def sign_is_open(self) -> bool:
        """Whether missing episodes could turn the difference around, or make it nothing."""
        return self.bounds.low < self.bounds.high and self.bounds.low <= 0 <= self.bounds.high


@dataclass(frozen=True)
class ComparisonReport:
    """All that was compared.

    Attributes:
        comparisons: The comparisons, by task and model.
        notes: What a reader has to know, a line each.
        published: The published figures that are shown beside, if they are.
    """

    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]
    published: Published | None = None
