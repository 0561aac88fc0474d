"""Testing: one agent proposes calls, another judges what they did.

The tester sees what an agent sees, the state, and what has to be shown; never the
code. The checker sees the code, the result and the change of the state. Tests stand
alone: each begins in a fresh situation and brings about what it needs, so that they
run side by side and mean the same after a repair.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from envscaler_eval.scenario import Frozen, Rejection, ToolCall
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.skel_builder.assembly import method_source, without_tools
from envscaler_eval.synth.skel_builder.trial import Call, Case, Seen, Start, Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.skel_builder"


class Cases(AnswerModel):
    """Tests of one tool."""

    cases: tuple[Case, ...] = Field(min_length=1, max_length=12)


class Ruling(AnswerModel):
    """What the checker says of a test."""

    case: int
    reason: str = Field(min_length=1)
    verdict: Literal["pass", "warning", "fail"]


class Rulings(AnswerModel):
    """What the checker says of several tests."""

    rulings: tuple[Ruling, ...]


class RuleBreak(AnswerModel):
    """Calls that end in breaking a rule."""

    calls: tuple[Call, ...] = Field(min_length=1)


class Tested(Frozen):
    """A test, what was seen, and the ruling.

    Attributes:
        tool: The tool under test.
        start: The situation, by its place.
        case: The test.
        seen: The calls before and, last, the call under test.
        verdict: The ruling, or `fail` for what no call may do.
        reason: Why.
    """

    tool: str
    start: int
    case: Case
    seen: tuple[Seen, ...]
    verdict: Literal["pass", "warning", "fail"]
    reason: str


TEST_TOOL = Step("test_tool", "tester", Cases, _PACKAGE, attempts=4, temperature=0.5)
JUDGE_CASES = Step("judge_cases", "checker", Rulings, _PACKAGE, temperature=0.0)
BREAK_RULE = Step("break_rule", "tester", RuleBreak, _PACKAGE, attempts=4, temperature=0.5)

STEPS: tuple[Step[Any], ...] = (TEST_TOOL, JUDGE_CASES, BREAK_RULE)


async def test_tool(
    run: Run, trials: Trials, starts: Sequence[Start], tool: str, round_: int
) -> list[Tested]:
    """Test a tool once more.

    Args:
        run: The run.
        trials: The program.
        starts: The situations, of which the round chooses one.
        tool: The tool.
        round_: Which time, from 1.

    Returns:
        The tests. A tool for which no usable test could be had has failed one.

    Raises:
        Unfinished: A provider failed.
    """
    at = (round_ - 1) % len(starts)
    item = f"{trials.program.plan.topic.id}/{tool}/round {round_}"
    runs: list[tuple[Case, list[Seen]]] = []

    def check(answer: Cases) -> None:
        runs.clear()
        _require_every_kind(trials, tool, answer.cases)
        for number, case in enumerate(answer.cases, start=1):
            calls = [*(call.made for call in case.before), _tested_call(tool, case)]
            seen = trials.play(starts[at], calls)
            _require_reached(f"case {number}", calls, seen)
            runs.append((case, seen))

    try:
        await run.ask(
            TEST_TOOL, item, check, plan=trials.program.plan, start=starts[at], tool=tool,
            tools=trials.pack.environment.tools, round=round_,
        )  # fmt: skip
        return await _judge(run, trials, item, tool, at, runs)
    except Dropped as reason:
        return [_untested(tool, at, str(reason))]


async def break_rule(run: Run, trials: Trials, starts: Sequence[Start], rule: int) -> list[Tested]:
    """Test whether a rule is enforced that no other test has put to the proof.

    Args:
        run: The run.
        trials: The program.
        starts: The situations, of which the first is taken.
        rule: The rule's number, from 1.

    Raises:
        Dropped: No calls were found of which only the last is refused.
        Unfinished: A provider failed.
    """
    item = f"{trials.program.plan.topic.id}/rule {rule}"
    runs: list[tuple[Case, list[Seen]]] = []

    def check(answer: RuleBreak) -> None:
        runs.clear()
        calls = [call.made for call in answer.calls]
        seen = trials.play(starts[0], calls)
        _require_reached("the answer", calls, seen)
        if seen[-1].status != "failed":
            raise AnswerFault(
                f"the last call is not refused but answers {seen[-1].observation[:300]}; find "
                "calls of which the last breaks the rule"
            )
        *before, last = answer.calls
        case = Case(
            kind="negative", why=f"to break rule {rule}", before=tuple(before),
            arguments=last.arguments, expects="refusal", breaks_rule=rule,
        )  # fmt: skip
        runs.append((case, seen))

    answer = await run.ask(
        BREAK_RULE, item, check, plan=trials.program.plan, start=starts[0],
        tools=trials.pack.environment.tools, rule=rule,
    )  # fmt: skip
    return await _judge(run, trials, item, answer.calls[-1].tool, 0, runs)


async def _judge(
    run: Run,
    trials: Trials,
    item: str,
    tool: str,
    at: int,
    runs: list[tuple[Case, list[Seen]]],
) -> list[Tested]:
    source, class_name = trials.program.source, trials.program.class_name
    answer = await run.ask(
        JUDGE_CASES,
        f"{item}/version {trials.program.version(tool)}",
        lambda answer: _require_one_each(answer, len(runs)),
        plan=trials.program.plan,
        tool=tool,
        base=without_tools(source, class_name),
        code=method_source(source, class_name, tool),
        runs=runs,
    )
    return [
        _ruled(tool, at, case, seen, ruling)
        for (case, seen), ruling in zip(runs, answer.rulings, strict=True)
    ]


def rejection(tested: Tested, starts: Sequence[Start]) -> Rejection | None:
    """Return a test as the proof that a rule is enforced, if it is one."""
    case, start = tested.case, starts[tested.start]
    if case.breaks_rule is None or tested.verdict == "fail" or tested.seen[-1].status != "failed":
        return None
    return Rejection(
        rule=case.breaks_rule,
        state=start.state,
        now=start.now,
        calls=tuple(seen.call for seen in tested.seen),
    )


def _tested_call(tool: str, case: Case) -> ToolCall:
    return ToolCall(name=tool, arguments=case.arguments)


def _require_every_kind(trials: Trials, tool: str, cases: Sequence[Case]) -> None:
    rules = len(trials.program.plan.state.rules)
    for number, case in enumerate(cases, start=1):
        if case.breaks_rule is not None and not 1 <= case.breaks_rule <= rules:
            raise AnswerFault(f"case {number}: there is no rule {case.breaks_rule}")
    kinds = {case.kind for case in cases}
    spec = next(spec for spec in trials.pack.environment.tools if spec.name == tool)
    properties = spec.parameters["properties"]
    wanted = ["positive"]
    if properties:
        wanted.append("boundary")
    # Where the schema lists every value, a wrong one does not reach the tool.
    if any(map(_is_free, properties.values())):
        wanted.append("negative")
    for kind in wanted:
        if kind not in kinds:
            raise AnswerFault(f"there is no case of kind {kind}")


def _is_free(schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(map(_is_free, schema["anyOf"]))
    return "enum" not in schema and schema.get("type") not in ("boolean", "null")


def _require_reached(name: str, calls: Sequence[ToolCall], seen: Sequence[Seen]) -> None:
    """Refuse calls that say nothing about a tool: it was not reached, or not as meant."""
    for number, one in enumerate(seen, start=1):
        last = number == len(calls)
        if one.status in ("invalid", "unknown") or (not last and one.status == "failed"):
            which = "the call under test" if last else f"call {number} before it"
            raise AnswerFault(f"{name}: {which} ({one.call.name}) is answered: {one.observation}")


def _require_one_each(answer: Rulings, count: int) -> None:
    if [ruling.case for ruling in answer.rulings] != list(range(1, count + 1)):
        raise AnswerFault(f"give one ruling for each of the cases 1 to {count}, in order")


def _ruled(tool: str, at: int, case: Case, seen: list[Seen], ruling: Ruling) -> Tested:
    faults = [f"{one.call.name}: {fault}" for one in seen for fault in one.faults]
    return Tested(
        tool=tool,
        start=at,
        case=case,
        seen=tuple(seen),
        verdict="fail" if faults else ruling.verdict,
        reason="; ".join([*faults, ruling.reason]),
    )


def _untested(tool: str, at: int, reason: str) -> Tested:
    case = Case(
        kind="positive", why="to have a test at all", before=(), arguments={}, expects="success",
        breaks_rule=None,
    )  # fmt: skip
    return Tested(tool=tool, start=at, case=case, seen=(), verdict="fail", reason=reason)
