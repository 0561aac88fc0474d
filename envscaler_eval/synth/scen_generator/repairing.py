"""Repair of scenarios: what the proof found goes back to the author, with the evidence."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from envscaler_eval.scenario import Check
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.scen_generator.draft import (
    CheckCode,
    Checklist,
    ChecklistItem,
    Draft,
    FreeText,
    Request,
)
from envscaler_eval.synth.scen_generator.drafting import (
    as_checks,
    require_grounded,
    require_judging,
    require_tools,
)
from envscaler_eval.synth.scen_generator.solving import Attempt
from envscaler_eval.synth.skel_builder.trial import Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.scen_generator"


class NewChecks(AnswerModel):
    """A checklist written anew, with its functions."""

    items: tuple[ChecklistItem, ...]
    codes: tuple[str, ...]
    free_text: tuple[FreeText, ...]


class ScenarioRepair(AnswerModel):
    """What is wrong with a scenario, and what puts it right.

    Attributes:
        diagnosis: What is wrong.
        verdict: `repair` gives a new request or new checks; `retry` finds nothing
            wrong but the agent's attempt; `drop` gives it up.
        request: The request written anew, or null to keep it.
        checks: The checks written anew, or null to keep them.
    """

    diagnosis: str = Field(min_length=1)
    verdict: Literal["repair", "retry", "drop"]
    request: Request | None
    checks: NewChecks | None

    @model_validator(mode="after")
    def _a_repair_changes_something(self) -> "ScenarioRepair":
        if self.verdict == "repair" and self.request is None and self.checks is None:
            raise ValueError("a repair gives a new request or new checks")
        return self

    @property
    def wants_new_attempt(self) -> bool:
        """Whether the agent must try again."""
        return self.verdict == "retry" or self.request is not None


REPAIR_SCENARIO = Step("repair_scenario", "author", ScenarioRepair, _PACKAGE, attempts=4)


async def ask_repair(
    run: Run,
    trials: Trials,
    draft: Draft,
    attempt: Attempt,
    faults: Sequence[str],
    number: int,
) -> ScenarioRepair:
    """Ask the author what to do about faults.

    Args:
        run: The run.
        trials: The program.
        draft: The scenario.
        attempt: What the agent did.
        faults: What is wrong, a line each.
        number: Which repair it is, from 1.

    Raises:
        Dropped: The author gives the scenario up, or no answer was usable.
        Unfinished: A provider failed.
    """
    answer = await run.ask(
        REPAIR_SCENARIO,
        f"{draft.name}/repair {number}",
        lambda found: _require_sound(trials, draft, found),
        plan=trials.program.plan,
        tools=trials.pack.environment.tools,
        start=draft.start,
        draft=draft,
        attempt=attempt,
        faults=faults,
    )
    told = {
        "diagnosis": answer.diagnosis,
        "verdict": answer.verdict,
        "request": answer.request is not None,
        "checks": answer.checks is not None,
    }
    run.watcher.found("mended", draft.name, told)
    if answer.verdict == "drop":
        raise Dropped(f"the author gives it up: {answer.diagnosis}")
    return answer


def repaired(draft: Draft, answer: ScenarioRepair) -> Draft:
    """Return a draft with an answer's changes; its name stays, since questions go by it."""
    changed: dict[str, object] = {}
    if answer.request is not None:
        changed["request"] = answer.request.model_copy(update={"id": draft.request.id})
    if answer.checks is not None:
        changed |= {"checks": _new_checks(answer.checks), "free_text": answer.checks.free_text}
    return draft.model_copy(update=changed)


def _new_checks(new: NewChecks) -> tuple[Check, ...]:
    return as_checks(
        Checklist(items=new.items, free_text=new.free_text), CheckCode(codes=new.codes)
    )


def _require_sound(trials: Trials, draft: Draft, answer: ScenarioRepair) -> None:
    if answer.request is not None:
        require_grounded(answer.request, draft.start)
    if answer.checks is not None:
        try:
            checks = _new_checks(answer.checks)
        except ValueError as fault:
            raise AnswerFault(f"checks: {fault}") from None
        require_tools(answer.checks.free_text, trials)
        require_judging(trials, draft.start, checks)
