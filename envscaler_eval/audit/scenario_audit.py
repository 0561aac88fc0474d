"""The audit of a scenario: is its reward earned by doing the work, and only so?"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from envscaler_eval.audit import equivalents, leaks, wrong
from envscaler_eval.audit.check_mutation import audit_checks
from envscaler_eval.audit.findings import Item, ItemName, Rate, ScenarioCard
from envscaler_eval.audit.trajectories import Trajectory, shown, trajectory
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario

RANDOM_CEILING = 0.05
"""The mean reward that random play may reach."""

KILL_RATE = 0.95
COLLATERAL_RATE = 0.95
CHECK_KILL_RATE = 0.90
FEWEST_MUTANTS = 3
_NOTES = 8


@dataclass
class Corpus:
    """The trajectories of a scenario, sorted by what they should earn.

    Attributes:
        right: Deserve the full reward.
        wrong: Do not.
    """

    right: list[Trajectory] = field(default_factory=list)
    wrong: list[Trajectory] = field(default_factory=list)


def audit_scenario(scenario: Scenario, runtime: Runtime) -> ScenarioCard:
    """Audit a scenario.

    A scenario without a solution (imported data) is only asked for its floor.

    Args:
        scenario: The scenario.
        runtime: Where its environment runs.
    """
    corpus = Corpus()
    if not scenario.solution:
        items = [_floor(scenario, runtime, corpus)]
        return _card(scenario, items, corpus)
    solved = trajectory("solution", scenario, runtime, scenario.solution, find_writes=True)
    corpus.right.append(solved)
    items = [_oracle(solved)]
    if not items[0].passed:
        # Every other answer is relative to a solution that works.
        return _card(scenario, items, corpus)
    items += [
        _floor(scenario, runtime, corpus),
        _necessity(scenario, runtime, solved, corpus),
        _argument_mutants(scenario, runtime, solved, corpus),
        _collateral(scenario, runtime, solved, corpus),
        _tolerance(scenario, runtime, solved, corpus),
        audit_checks(scenario, runtime, corpus.right + corpus.wrong, CHECK_KILL_RATE),
        leaks.audit_leaks(scenario, runtime, solved, corpus.wrong),
    ]
    return _card(scenario, items, corpus)


def _card(scenario: Scenario, items: list[Item], corpus: Corpus) -> ScenarioCard:
    return ScenarioCard(
        env=scenario.env,
        scenario=scenario.id,
        items=tuple(items),
        false_positives=_rate(corpus.wrong, lambda t: t.grade.success),
        false_negatives=_rate(corpus.right, lambda t: t.grade.reward < 1),
    )


def _rate(trajectories: Iterable[Trajectory], hit: Callable[[Trajectory], bool]) -> Rate:
    hits = [hit(item) for item in trajectories]
    return Rate(count=sum(hits), total=len(hits))


def _oracle(solved: Trajectory) -> Item:
    notes = [
        f"call {position} {shown(call)} is {status}"
        for position, (call, status) in enumerate(
            zip(solved.calls, solved.statuses, strict=True), start=1
        )
        if status != "ok"
    ]
    notes += [
        f"check {number} ({check.about}) is false after the solution"
        + (f": {check.broken}" if check.broken else "")
        for number, check in enumerate(solved.grade.checks, start=1)
        if not check.passed
    ]
    notes += [
        f"the solution changes {pointer}, which is not granted"
        for pointer in solved.grade.collateral
    ]
    return _item(
        "oracle",
        1,
        [*notes] if notes or not solved.grade.success else [],
        value=solved.grade.reward,
    )


def _floor(scenario: Scenario, runtime: Runtime, corpus: Corpus) -> Item:
    idle = trajectory("no call", scenario, runtime, ())
    notes = []
    if idle.grade.reward != 0:
        notes.append(f"doing nothing earns {idle.grade.reward:.3f}")
    for number, check in enumerate(idle.grade.checks, start=1):
        if check.broken:
            notes.append(f"check {number} ({check.about}) is broken at the start: {check.broken}")
        elif check.kind == "goal" and check.passed:
            notes.append(f"goal {number} ({check.about}) is true at the start")
        elif check.kind == "guard" and not check.passed:
            notes.append(f"guard {number} ({check.about}) is false at the start")
    played = list(wrong.random_episodes(scenario, runtime))
    rewards = [item.grade.reward for item in played]
    mean = sum(rewards) / len(rewards)
    if mean >= RANDOM_CEILING:
        notes.append(f"random play earns {mean:.3f} on average")
    notes += [f"{item.label} succeeds" for item in played if item.grade.success]
    corpus.wrong += [idle, *played]
    return Item(
        name="floor",
        passed=not notes,
        cases=len(played) + 1,
        failures=len(notes),
        value=mean,
        highest=max(rewards),
        notes=tuple(notes[:_NOTES]),
    )


def _necessity(scenario: Scenario, runtime: Runtime, solved: Trajectory, corpus: Corpus) -> Item:
    notes = []
    if not solved.writes:
        notes.append("the solution changes nothing; record the outcome with a tool")
    shortened = list(wrong.shortened(scenario, runtime, solved))
    for short in shortened:
        if short.grade.success:
            notes.append(
                f"{short.label} still succeeds: "
                + (
                    "the call is redundant"
                    if equivalents.same_outcome(short, solved, scenario)
                    else "no check sees what the call does"
                )
            )
    corpus.wrong += shortened
    return _item("necessity", len(shortened), notes)


def _argument_mutants(
    scenario: Scenario, runtime: Runtime, solved: Trajectory, corpus: Corpus
) -> Item:
    effective = list(wrong.with_wrong_arguments(scenario, runtime, solved))
    survivors = [
        f"{item.label} survives: differs at {wrong.difference(item, solved)}"
        for item in effective
        if item.grade.success
    ]
    corpus.wrong += effective
    notes = survivors
    if len(effective) < FEWEST_MUTANTS:
        notes = [*notes, f"only {len(effective)} effective mutants; the solution decides little"]
    never_failed = _goals_never_failed(scenario, corpus.wrong)
    notes = [*notes, *never_failed]
    killed = 1 - len(survivors) / len(effective) if effective else 0.0
    return Item(
        name="argument_mutants",
        passed=killed >= KILL_RATE and len(effective) >= FEWEST_MUTANTS and not never_failed,
        cases=len(effective),
        failures=len(survivors),
        notes=tuple(notes[:_NOTES]),
    )


def _goals_never_failed(scenario: Scenario, trajectories: list[Trajectory]) -> list[str]:
    """Each goal must be missed by some attempt that does nearly all of the work."""
    near = [item for item in trajectories if item.label.startswith(wrong.NEAR_MISSES)]
    return [
        f"goal {number} ({check.about}) is never missed by a deletion or a mutant"
        for number, check in enumerate(scenario.checks, start=1)
        if check.kind == "goal"
        and near
        and all(item.grade.checks[number - 1].passed for item in near)
    ]


def _collateral(scenario: Scenario, runtime: Runtime, solved: Trajectory, corpus: Corpus) -> Item:
    writes, reads = wrong.with_extra_calls(scenario, runtime, solved)
    free = [f"{item.label} costs nothing" for item in writes if item.grade.reward == 1]
    dear = [
        f"{item.label}, which only reads, costs reward" for item in reads if item.grade.reward < 1
    ]
    corpus.wrong += writes
    corpus.right += reads
    share = 1 - len(free) / len(writes) if writes else 1.0
    return Item(
        name="collateral",
        passed=share >= COLLATERAL_RATE and not dear,
        cases=len(writes) + len(reads),
        failures=len(free) + len(dear),
        value=share,
        notes=tuple([*dear, *free][:_NOTES]),
    )


def _tolerance(scenario: Scenario, runtime: Runtime, solved: Trajectory, corpus: Corpus) -> Item:
    variants = list(equivalents.equivalents(scenario, runtime, solved))
    notes = [
        f"{item.label} earns {item.grade.reward:.3f}: {_why(item)}"
        for item in variants
        if item.grade.reward < 1
    ]
    corpus.right += variants
    return _item("tolerance", len(variants), notes)


def _why(item: Trajectory) -> str:
    failed = [check.about for check in item.grade.checks if not check.passed]
    return "; ".join([*failed, *(f"{p} changed" for p in item.grade.collateral)])


def _item(name: ItemName, cases: int, notes: list[str], value: float | None = None) -> Item:
    return Item(
        name=name,
        passed=not notes,
        cases=cases,
        failures=len(notes),
        value=value,
        notes=tuple(notes[:_NOTES]),
    )
