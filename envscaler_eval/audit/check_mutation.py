"""Do the checks ask for anything? Changed checks must answer differently somewhere."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from envscaler_eval.audit.check_mutants import check_mutants
from envscaler_eval.audit.findings import Item
from envscaler_eval.audit.trajectories import Trajectory
from envscaler_eval.runtime import Runtime, Verdict
from envscaler_eval.scenario import Check, Scenario
from envscaler_eval.state import State

_SAMPLE = 150
_NOTES = 8


def audit_checks(
    scenario: Scenario,
    runtime: Runtime,
    corpus: Sequence[Trajectory],
    kill_rate: float,
) -> Item:
    """Change each check and see whether the trajectories tell.

    Args:
        scenario: The scenario.
        runtime: Where its environment runs.
        corpus: Trajectories, right and wrong; a sample of them is used, so that
            the rate is an estimate.
        kill_rate: The share of mutants that must be told apart.
    """
    finals = _sample(corpus, scenario)
    session = runtime.start_scenario(scenario, seed=0)
    initial = session.state()
    session.close()
    mutants = [
        _Mutant(number, label, Check(about=check.about, kind=check.kind, code=code))
        for number, check in enumerate(scenario.checks)
        for label, code in check_mutants(check.code)
    ]
    alive = mutants
    answers: list[set[bool]] = [set() for _ in scenario.checks]
    for final in finals:
        asked = [*scenario.checks, *(mutant.check for mutant in alive)]
        verdicts = runtime.verdicts(asked, initial, final, scenario.now)
        rights = verdicts[: len(scenario.checks)]
        for given, right in zip(answers, rights, strict=True):
            given.add(right.passed)
        alive = [
            mutant
            for mutant, verdict in zip(alive, verdicts[len(rights) :], strict=True)
            if _alike(verdict, rights[mutant.of])
        ]
    vacuous = [
        f"check {number} ({check.about}) answers the same for every ending"
        for number, (check, given) in enumerate(zip(scenario.checks, answers, strict=True), start=1)
        if len(given) == 1
    ]
    survivors = [f"check {m.of + 1}, {m.label}: no trajectory tells" for m in alive]
    return Item(
        name="check_mutation",
        passed=not vacuous and (not mutants or 1 - len(alive) / len(mutants) >= kill_rate),
        cases=len(mutants),
        failures=len(alive),
        notes=tuple([*vacuous, *survivors][:_NOTES]),
    )


@dataclass(frozen=True)
class _Mutant:
    """A changed check.

    Attributes:
        of: The position of the check that it was made of.
        label: What was changed.
        check: The changed one.
    """

    of: int
    label: str
    check: Check


def _alike(one: Verdict, other: Verdict) -> bool:
    return one.passed == other.passed and bool(one.broken) == bool(other.broken)


def _sample(corpus: Sequence[Trajectory], scenario: Scenario) -> list[State]:
    """Return final states, the most telling first and each once."""
    distinct: dict[str, State] = {item.grade.state_hash: item.final for item in corpus}
    finals = list(distinct.values())
    if len(finals) <= _SAMPLE:
        return finals
    chosen = random.Random(scenario.name).sample(range(1, len(finals)), _SAMPLE - 1)
    return [finals[0], *(finals[index] for index in sorted(chosen))]
