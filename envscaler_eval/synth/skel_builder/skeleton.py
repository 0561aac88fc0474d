"""A skeleton: an environment program that has been assessed, and awaits scenarios."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.scenario import Frozen
from envscaler_eval.synth.funnel import kept_values
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.skel_builder.assessing import AssessmentRules, assess
from envscaler_eval.synth.skel_builder.assessment import Assessment
from envscaler_eval.synth.skel_builder.coding import Program
from envscaler_eval.synth.skel_builder.repair import REPAIR_PROGRAM, repair
from envscaler_eval.synth.skel_builder.situations import WRITE_STARTS, write_starts
from envscaler_eval.synth.skel_builder.testing import STEPS
from envscaler_eval.synth.skel_builder.trial import Start, Trials

SKELETONS = "skeletons"
"""The stage that keeps environments."""


class Skeleton(Frozen):
    """An environment without scenarios.

    Attributes:
        program: The program, as it was kept.
        starts: The situations in which it was tested.
        assessment: What was found of it.
        history: The pass rate of each version, from the first.
    """

    program: Program
    starts: tuple[Start, ...]
    assessment: Assessment
    history: tuple[float, ...]

    @property
    def id(self) -> str:
        """The environment's id."""
        return self.program.plan.topic.id


def kept_skeletons(folder: Path, ids: Sequence[str] = ()) -> list[Skeleton]:
    """Return the environments that a run has kept so far.

    Args:
        folder: The run's folder.
        ids: Which; all when empty.

    Raises:
        UsageError: It has none of an id, or a line of its records cannot be read.
    """
    kept = {
        item: Skeleton.model_validate_json(json.dumps(value))
        for item, value in kept_values(folder, SKELETONS)
    }
    for name in ids:
        if name not in kept:
            raise UsageError(
                f"{folder}: holds no environment '{name}'; it has {', '.join(kept) or 'none'}"
            )
    return [kept[name] for name in ids or kept]


def skeletons(rules: AssessmentRules) -> Stage[Skeleton]:
    """Return the stage, for these rules."""
    steps: tuple[Any, ...] = (WRITE_STARTS, *STEPS, REPAIR_PROGRAM)
    settings = (rules.rounds, rules.starts, rules.least_pass_rate, rules.repairs)
    return Stage(SKELETONS, Skeleton, steps, settings)


async def prove(
    run: Run, program: Program, rules: AssessmentRules, isolation: IsolationPolicy
) -> Skeleton:
    """Assess a program, and repair it as often as the rules allow.

    Args:
        run: The run.
        program: The program.
        rules: How much to test, and what is good enough.
        isolation: How it runs.

    Raises:
        Dropped: It is not good enough.
        Unfinished: A provider failed.
        UsageError: This machine cannot isolate.
    """

    async def work() -> Skeleton:
        version = program
        trials = Trials.of(version, isolation)
        starts = await write_starts(run, trials, rules.starts)
        found = [(version, await assess(run, trials, starts, rules))]
        for number in range(1, rules.repairs + 1):
            if not found[-1][1].wants_repair:
                break
            try:
                version = await repair(run, version, starts, found[-1][1], number, isolation)
            except Dropped:
                break
            trials = Trials.of(version, isolation)
            found.append((version, await assess(run, trials, starts, rules)))
        best, assessment = max(
            found, key=lambda one: (one[1].accepted, one[1].pass_rate, not one[1].wants_repair)
        )
        if not assessment.accepted:
            raise Dropped(f"after {len(found) - 1} repairs: {assessment.summary}")
        return Skeleton(
            program=best,
            starts=starts,
            assessment=assessment,
            history=tuple(round(one.pass_rate, 4) for _, one in found),
        )

    return await run.stage(skeletons(rules), program.plan.topic.id, program, work)
