"""Drafting: a request that the state can satisfy, and functions that judge its end."""

import re
from collections.abc import Sequence
from typing import Any

from envscaler_eval.runtime import EnvironmentFault, Verdict
from envscaler_eval.runtime.gate import GateError
from envscaler_eval.scenario import Check
from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.scen_generator.draft import (
    CheckCode,
    Checklist,
    Draft,
    FreeText,
    Kind,
    Request,
    quoted_ids,
)
from envscaler_eval.synth.skel_builder.trial import Start, Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.scen_generator"

WRITE_TASK = Step("write_task", "author", Request, _PACKAGE, temperature=0.7)
WRITE_CHECKLIST = Step("write_checklist", "author", Checklist, _PACKAGE)
WRITE_CHECKS = Step("write_checks", "coder", CheckCode, _PACKAGE, attempts=4)

DRAFTS = Stage("drafts", Draft, (WRITE_TASK, WRITE_CHECKLIST, WRITE_CHECKS))


async def write_draft(run: Run, trials: Trials, start: Start, place: str, kind: Kind) -> Draft:
    """Return a scenario without a solution.

    Args:
        run: The run.
        trials: The program.
        start: The initial state.
        place: What to call the scenario until it has a name of its own.
        kind: What the task is to be like.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """
    about: dict[str, Any] = {
        "plan": trials.program.plan,
        "tools": trials.pack.environment.tools,
        "start": start,
    }

    async def work() -> Draft:
        request = await run.ask(
            WRITE_TASK, place, lambda found: require_grounded(found, start), kind=kind, **about
        )
        checklist = await run.ask(
            WRITE_CHECKLIST,
            place,
            lambda found: require_tools(found.free_text, trials),
            request=request,
            **about,
        )
        code = await run.ask(
            WRITE_CHECKS,
            place,
            lambda found: require_judging(trials, start, as_checks(checklist, found)),
            request=request,
            items=checklist.items,
            source=trials.program.source,
            **about,
        )
        return Draft(
            env=trials.pack.info.id,
            start=start,
            request=request,
            checks=as_checks(checklist, code),
            free_text=checklist.free_text,
            kind=kind,
        )

    return await run.stage(DRAFTS, place, [trials.program, start, kind], work)


def as_checks(checklist: Checklist, code: CheckCode) -> tuple[Check, ...]:
    """Put questions and functions together.

    Raises:
        AnswerFault: There are more of one than of the other.
    """
    if len(code.codes) != len(checklist.items):
        raise AnswerFault(
            f"there are {len(code.codes)} functions for {len(checklist.items)} items; "
            "give one for each, in their order"
        )
    return tuple(
        Check(about=item.about, kind=item.kind, code=text)
        for item, text in zip(checklist.items, code.codes, strict=True)
    )


def require_grounded(request: Request, start: Start) -> None:
    """Refuse a request that names records which are not there.

    Raises:
        AnswerFault: Tells the first.
    """
    text = str(start.state)
    containers = [value for value in start.state.values() if isinstance(value, dict)]
    shapes = {_shape(key) for records in containers for key in records}
    for name in quoted_ids(request.task):
        # Where no key looks like "B4", it is a place, a vitamin or a model, and no record.
        may_be_a_key = not name.isalnum() or _shape(name) in shapes
        if may_be_a_key and name not in text:
            raise AnswerFault(f"the task names '{name}', which the state does not hold")


def _shape(key: str) -> str:
    return re.sub(r"\d+", "0", key)


def require_tools(free_text: Sequence[FreeText], trials: Trials) -> None:
    """Refuse free arguments that no tool has.

    Raises:
        AnswerFault: Tells the first.
    """
    tools = {tool.name: tool.parameters["properties"] for tool in trials.pack.environment.tools}
    for item in free_text:
        if item.argument not in tools.get(item.tool, {}):
            raise AnswerFault(f"free_text: no tool '{item.tool}' takes '{item.argument}'")


def require_judging(trials: Trials, start: Start, checks: Sequence[Check]) -> None:
    """Refuse checks that answer wrongly before anything has happened.

    Args:
        trials: The program.
        start: The initial state.
        checks: The checks.

    Raises:
        AnswerFault: Tells which do.
    """
    try:
        state = trials.state(start)
        verdicts = trials.runtime.verdicts(checks, state, state, start.now)
    except (GateError, EnvironmentFault) as fault:
        raise AnswerFault(str(fault)) from None
    if faults := list(_wrong_at_the_start(checks, verdicts)):
        raise AnswerFault("on the initial state, given twice:\n" + "\n".join(faults))


def _wrong_at_the_start(checks: Sequence[Check], verdicts: Sequence[Verdict]) -> list[str]:
    told = []
    for number, (check, verdict) in enumerate(zip(checks, verdicts, strict=True), start=1):
        name = f"- function {number} ({check.about})"
        if verdict.broken:
            told.append(f"{name} {verdict.broken}")
        elif check.kind == "goal" and verdict.passed:
            told.append(f"{name} is a goal and already true: it must ask for what the task changes")
        elif check.kind == "guard" and not verdict.passed:
            told.append(f"{name} is a guard and already false")
    return told
