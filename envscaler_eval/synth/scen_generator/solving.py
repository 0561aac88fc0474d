"""Solving: an agent that sees only what agents see looks for a solution."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio.to_thread
from pydantic import Field

from envscaler_eval.audit.equivalents import same_outcome
from envscaler_eval.audit.trajectories import Trajectory, trajectory
from envscaler_eval.episode import CallStatus, Episode
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Frozen, ToolCall
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.scen_generator.draft import Draft
from envscaler_eval.synth.skel_builder.trial import Call, Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.scen_generator"
_LONGEST_OBSERVATION = 4000


class Turn(AnswerModel):
    """What the agent does next.

    Attributes:
        thought: Why.
        calls: The calls to make, in order.
        report: What to tell the user, when the work is done; else null.
    """

    thought: str = Field(min_length=1)
    calls: tuple[Call, ...] = Field(max_length=12)
    report: str | None


SOLVE = Step("solve", "tester", Turn, _PACKAGE)


@dataclass(frozen=True)
class SolverRules:
    """How long an agent may try.

    Attributes:
        turns: How often it is asked.
        calls: How many calls it may make.
    """

    turns: int = 16
    calls: int = 60


class Made(Frozen):
    """A call that the agent made, and what it saw."""

    call: ToolCall
    status: CallStatus
    observation: str


class Attempt(Frozen):
    """An agent's attempt at a scenario.

    Attributes:
        number: Which it is, from 1.
        made: The calls.
        report: What the agent told the user at the end; `None` when it never ended.
    """

    number: int
    made: tuple[Made, ...]
    report: str | None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that succeeded."""
        return tuple(made.call for made in self.made if made.status == "ok")


async def solve(run: Run, trials: Trials, draft: Draft, rules: SolverRules, number: int) -> Attempt:
    """Let the agent try.

    Args:
        run: The run.
        trials: The program.
        draft: The scenario.
        rules: How long.
        number: Which attempt at this scenario it is, from 1.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """
    made: list[Made] = []
    report = None
    begin = partial(Episode, draft.scenario(), trials.runtime)
    with await anyio.to_thread.run_sync(begin) as episode:
        for turn in range(1, rules.turns + 1):
            answer = await run.ask(
                SOLVE,
                f"{draft.name}/attempt {number}/turn {turn}",
                _require_action,
                environment=trials.pack.environment,
                now=draft.start.now,
                task=draft.request.task,
                made=made,
                left=rules.calls - len(made),
            )
            made += await anyio.to_thread.run_sync(_act, episode, answer.calls)
            report = answer.report
            if report is not None or len(made) >= rules.calls:
                break
    return Attempt(number=number, made=tuple(made), report=report)


def shortcomings(draft: Draft, attempt: Attempt, runtime: Runtime) -> list[str]:
    """Say why an attempt has not solved a scenario, a line each; nothing if it has.

    Args:
        draft: The scenario.
        attempt: The attempt; its successful calls are played again.
        runtime: Where they are played.
    """
    if attempt.report is None:
        return [f"the agent did not come to an end in {len(attempt.made)} calls"]
    try:
        with Episode(draft.scenario(attempt.calls), runtime) as episode:
            for call in attempt.calls:
                episode.call(call.name, call.arguments)
            failed = [record.name for record in episode.calls if record.status != "ok"]
            grade = episode.grade()
    except EnvironmentFault as fault:
        return [str(fault)]
    faults = [f"without the calls that failed, {name} fails too" for name in failed]
    for number, check in enumerate(grade.checks, start=1):
        if not check.passed:
            why = f": {check.broken}" if check.broken else ""
            faults.append(f"check {number} ({check.about}) is false at the end{why}")
    return faults


def pruned(draft: Draft, runtime: Runtime, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Leave out writes without which the outcome is the same.

    With a write goes what fails without it, such as the call that undid it. Reads
    stay: they are what an agent must look up.

    Args:
        draft: The scenario.
        runtime: Where it runs.
        calls: Calls that all succeed.
    """
    scenario = draft.scenario(tuple(calls))
    whole = trajectory("solution", scenario, runtime, calls, find_writes=True)
    kept = tuple(calls)
    for write in (calls[position] for position in reversed(whole.writes)):
        without = tuple(call for call in kept if call is not write)
        played = trajectory("shorter", scenario, runtime, without)
        if same_outcome(_uncounted(played), _uncounted(whole), scenario):
            kept = tuple(
                call
                for call, status in zip(without, played.statuses, strict=True)
                if status == "ok"
            )
    return kept


def _uncounted(played: Trajectory) -> Trajectory:
    """Leave out counters, and that calls have named generated keys."""
    final = {name: value for name, value in played.final.items() if type(value) is not int}
    return replace(played, calls=(), final=final)


def _require_action(turn: Turn) -> None:
    if not turn.calls and turn.report is None:
        raise AnswerFault("make a call, or report to the user that the work is done")


def _act(episode: Episode, calls: Sequence[Call]) -> list[Made]:
    made = []
    for call in calls:
        observation = episode.call(call.tool, call.arguments)
        status = episode.calls[-1].status
        made.append(
            Made(call=call.made, status=status, observation=observation[:_LONGEST_OBSERVATION])
        )
    return made
