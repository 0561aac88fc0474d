"""Proving: a scenario enters a pack when it was solved and its reward withstood the audit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread

from envscaler_eval.audit import Item, ScenarioCard, audit_scenario
from envscaler_eval.difficulty import difficulty
from envscaler_eval.scenario import Frozen, Scenario, ToolCall
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.scen_generator.draft import Draft
from envscaler_eval.synth.scen_generator.repairing import (
    REPAIR_SCENARIO,
    ask_repair,
    repaired,
)
from envscaler_eval.synth.scen_generator.solving import (
    SOLVE,
    Attempt,
    SolverRules,
    pruned,
    shortcomings,
    solve,
)
from envscaler_eval.synth.skel_builder.trial import Trials
from envscaler_eval.synth.step import Step

_FAULTS_TOLD = 14


@dataclass(frozen=True)
class ProofRules:
    """How much is tried before a scenario is given up.

    Attributes:
        solver: How long an agent may try.
        repairs: How often a scenario goes back to its author.
        accept_unsolved: Keep a scenario that nobody has solved, as EnvScaler does,
            without a solution and without proof.
    """

    solver: SolverRules = field(default_factory=SolverRules)
    repairs: int = 2
    accept_unsolved: bool = False


class Solved(Frozen):
    """A scenario with calls that earn its full reward.

    Attributes:
        draft: The scenario, as it was solved.
        attempt: How an agent solved it.
        solution: The calls that are needed.
        repairs: How often it has gone back to its author.
    """

    draft: Draft
    attempt: Attempt
    solution: tuple[ToolCall, ...]
    repairs: int


class Proven(Frozen):
    """A scenario fit for a pack.

    Attributes:
        scenario: The scenario.
        card: What the audit found; `None` for one that was kept unsolved.
        repairs: How often it has gone back to its author.
    """

    scenario: Scenario
    card: ScenarioCard | None
    repairs: int


_STEPS: tuple[Step[Any], ...] = (SOLVE, REPAIR_SCENARIO)


def solved(rules: ProofRules) -> Stage[Solved]:
    """Return the stage of solving, for these rules."""
    return Stage("solved", Solved, _STEPS, _settings(rules))


def proven(rules: ProofRules) -> Stage[Proven]:
    """Return the stage of proving, for these rules."""
    return Stage("proven", Proven, _STEPS, _settings(rules))


async def find_solution(run: Run, trials: Trials, draft: Draft, rules: ProofRules) -> Solved:
    """Let an agent solve a scenario, and have it repaired where that fails.

    Args:
        run: The run.
        trials: The program.
        draft: The scenario.
        rules: How much to try.

    Raises:
        Dropped: It was not solved.
        Unfinished: A provider failed.
    """

    async def work() -> Solved:
        attempt = await solve(run, trials, draft, rules.solver, 1)
        return await _until_solved(run, trials, rules, draft, attempt, repairs=0)

    return await run.stage(solved(rules), draft.name, [trials.program, draft], work)


async def prove(run: Run, trials: Trials, found: Solved, rules: ProofRules) -> Proven:
    """Audit a solved scenario, and have it repaired where the audit finds fault.

    Args:
        run: The run.
        trials: The program.
        found: The scenario.
        rules: How much to try.

    Raises:
        Dropped: The audit still finds fault.
        Unfinished: A provider failed.
    """

    async def work() -> Proven:
        current = found
        while True:
            scenario = current.draft.scenario(current.solution)
            run.watcher.found("auditing", scenario.name, {"what": "scenario"})
            card = await anyio.to_thread.run_sync(audit_scenario, scenario, trials.runtime)
            if card.passed:
                tagged = _tagged(scenario, current.draft.kind)
                return Proven(scenario=tagged, card=card, repairs=current.repairs)
            faults = [f"{item.name}: {note}" for item in card.items for note in _notes(item)]
            current = await _mended(run, trials, rules, current, faults)

    return await run.stage(proven(rules), found.draft.name, [trials.program, found], work)


def unproven(draft: Draft) -> Proven:
    """Return a scenario that is kept without a solution, and says so."""
    tags = ("unsolved", draft.kind)
    scenario = draft.scenario().model_copy(update={"tags": tags, "collateral": False})
    return Proven(scenario=scenario, card=None, repairs=0)


async def _until_solved(
    run: Run, trials: Trials, rules: ProofRules, draft: Draft, attempt: Attempt, repairs: int
) -> Solved:
    faults = await anyio.to_thread.run_sync(shortcomings, draft, attempt, trials.runtime)
    calls = attempt.calls
    if not faults:
        calls = await anyio.to_thread.run_sync(pruned, draft, trials.runtime, calls)
    current = Solved(draft=draft, attempt=attempt, solution=calls, repairs=repairs)
    return await _mended(run, trials, rules, current, faults) if faults else current


async def _mended(
    run: Run, trials: Trials, rules: ProofRules, current: Solved, faults: list[str]
) -> Solved:
    """Return the scenario once its author has answered for faults and it is solved again."""
    told = {"faults": faults, "repairs": current.repairs}
    run.watcher.found("faulted", current.draft.name, told)
    if current.repairs >= rules.repairs:
        raise Dropped(f"after {current.repairs} repairs: {faults[0]}")
    number = current.repairs + 1
    answer = await ask_repair(
        run, trials, current.draft, current.attempt, faults[:_FAULTS_TOLD], number
    )
    draft, attempt = repaired(current.draft, answer), current.attempt
    if answer.wants_new_attempt:
        attempt = await solve(run, trials, draft, rules.solver, attempt.number + 1)
    return await _until_solved(run, trials, rules, draft, attempt, number)


def _notes(item: Item) -> Sequence[str]:
    return () if item.passed else item.notes or ("failed",)


def _tagged(scenario: Scenario, kind: str) -> Scenario:
    tags = dict.fromkeys((difficulty(scenario.solution), kind))
    return scenario.model_copy(update={"tags": tuple(tags)})


def _settings(rules: ProofRules) -> tuple[int, ...]:
    return rules.solver.turns, rules.solver.calls, rules.repairs
