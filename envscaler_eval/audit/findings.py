"""What an audit finds, as data."""

from typing import Literal

from scipy.stats import binomtest

from envscaler_eval.scenario import Frozen

ItemName = Literal[
    "oracle",
    "determinism",
    "floor",
    "necessity",
    "argument_mutants",
    "collateral",
    "tolerance",
    "check_mutation",
    "leaks",
    "robustness",
    "failure_atomicity",
    "serialisable",
    "replay",
    "tools_succeed",
    "rules_reject",
    "coverage",
    "alternatives",
]

RFC_008: dict[ItemName, tuple[str, ...]] = {
    "oracle": ("semantic.oracle_max", "runtime.reward_well_formed"),
    "determinism": ("semantic.replayability", "semantic.verifier_determinism"),
    "floor": ("semantic.floor_gap",),
    "necessity": ("semantic.canary_floor",),
    "argument_mutants": ("semantic.canary_floor",),
    "leaks": ("semantic.no_solution_leakage", "runtime.oracle_containment"),
    "replay": ("runtime.episode_isolation",),
}
"""The checks of OpenEnv's RFC 008 that an item answers."""


class Item(Frozen):
    """The answer to one question of the audit.

    Attributes:
        name: The question.
        passed: The verdict.
        cases: How many cases were tried.
        failures: How many went wrong.
        value: The number to look at, where it is not a rate of cases.
        highest: The worst single value behind it.
        notes: What went wrong or is worth knowing, a line each.
    """

    name: ItemName
    passed: bool
    cases: int
    failures: int = 0
    value: float | None = None
    highest: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """The share of cases that went right; 1 when there were none."""
        return 1 - self.failures / self.cases if self.cases else 1.0


class Rate(Frozen):
    """How often something happened, with an interval that suits rare events."""

    count: int
    total: int

    def __add__(self, other: "Rate") -> "Rate":
        """Pool two rates."""
        return Rate(count=self.count + other.count, total=self.total + other.total)

    @property
    def value(self) -> float:
        """The share."""
        return self.count / self.total if self.total else 0.0

    def wilson(self) -> tuple[float, float]:
        """Return the 95% Wilson interval."""
        if not self.total:
            return 0.0, 1.0
        interval = binomtest(self.count, self.total).proportion_ci(method="wilson")
        return float(interval.low), float(interval.high)


class ScenarioCard(Frozen):
    """The audit of a scenario.

    Attributes:
        env: The environment.
        scenario: The scenario.
        items: The answers.
        false_positives: Wrong trajectories (mutants and cheaters) that succeed.
        false_negatives: Right trajectories (equivalents) that earn less than 1.
    """

    env: str
    scenario: str
    items: tuple[Item, ...]
    false_positives: Rate = Rate(count=0, total=0)
    false_negatives: Rate = Rate(count=0, total=0)

    @property
    def name(self) -> str:
        """The scenario's full name."""
        return f"{self.env}/{self.scenario}"

    @property
    def passed(self) -> bool:
        """Whether every answer is good."""
        return all(item.passed for item in self.items)

    def item(self, name: ItemName) -> Item:
        """Return an answer by its name."""
        return next(item for item in self.items if item.name == name)


class EnvironmentCard(Frozen):
    """The assessment of an environment.

    Attributes:
        env: The environment.
        items: The answers.
        score: The share of cases that went right, as in EnvScaler's quality
            inspection.
    """

    env: str
    items: tuple[Item, ...]
    score: float

    @property
    def passed(self) -> bool:
        """Whether the score and every answer are good."""
        return self.score >= ACCEPTED_SCORE and all(item.passed for item in self.items)


ACCEPTED_SCORE = 0.85
"""Environments below this are rejected (EnvScaler, arXiv 2601.05808)."""


class PackCard(Frozen):
    """The audit of a pack."""

    env: str
    audited: str
    environment: EnvironmentCard
    scenarios: tuple[ScenarioCard, ...]

    @property
    def passed(self) -> bool:
        """Whether the environment and every scenario passed."""
        return self.environment.passed and all(card.passed for card in self.scenarios)
