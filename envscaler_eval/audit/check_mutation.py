"""Do the checks ask for anything? Changed checks must answer differently somewhere."""

import random
from collections.abc import Sequence

from envscaler_eval.audit.check_mutants import check_mutants
from envscaler_eval.audit.findings import Item
from envscaler_eval.audit.trajectories import Trajectory
from envscaler_eval.runtime import Runtime, Verdict
from envscaler_eval.runtime.checking import CheckSetting, run_checks
from envscaler_eval.scenario import Check, Scenario
from envscaler_eval.state import State, canonical_data

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
    with_session = runtime.start_scenario(scenario, seed=0)
    initial = with_session.state()
    with_session.close()
    setting = CheckSetting(scenario.now, "audit")
    only_data = all(canonical_data(state) is not None for state in (initial, *finals))

    def answer(check: Check, final: State) -> Verdict:
        return run_checks([check], initial, final, setting, only_data=only_data)[0]

    survivors: list[str] = []
    total = 0
    for number, check in enumerate(scenario.checks, start=1):
        answers = [answer(check, final) for final in finals]
        if len({given.passed for given in answers}) == 1:
            survivors.append(f"check {number} ({check.about}) answers the same for every ending")
        for label, code in check_mutants(check.code):
            total += 1
            mutant = Check(about=check.about, kind=check.kind, code=code)
            if not any(
                _differ(answer(mutant, final), original)
                for final, original in zip(finals, answers, strict=True)
            ):
                survivors.append(f"check {number}, {label}: no trajectory tells")
    vacuous = sum("answers the same" in note for note in survivors)
    alive = len(survivors) - vacuous
    return Item(
        name="check_mutation",
        passed=vacuous == 0 and (total == 0 or 1 - alive / total >= kill_rate),
        cases=total,
        failures=alive,
        notes=tuple(survivors[:_NOTES]),
    )


def _differ(one: Verdict, other: Verdict) -> bool:
    return one.passed != other.passed or bool(one.broken) != bool(other.broken)


def _sample(corpus: Sequence[Trajectory], scenario: Scenario) -> list[State]:
    """Return final states, the most telling first and each once."""
    distinct: dict[str, State] = {item.grade.state_hash: item.final for item in corpus}
    finals = list(distinct.values())
    if len(finals) <= _SAMPLE:
        return finals
    chosen = random.Random(scenario.name).sample(range(1, len(finals)), _SAMPLE - 1)
    return [finals[0], *(finals[index] for index in sorted(chosen))]
