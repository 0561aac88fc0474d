"""Another way of doing the job, which shows that the checks accept more than one."""

from pydantic import Field

from envscaler_eval.episode import Episode
from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.scenario import Scenario, ToolCall
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.scen_generator.proving import Proven
from envscaler_eval.synth.skel_builder.trial import Call, Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.scen_generator"


class OtherWay(AnswerModel):
    """Calls that do the same job differently."""

    difference: str = Field(min_length=1)
    calls: tuple[Call, ...] = Field(min_length=1)


WRITE_ALTERNATIVE = Step("write_alternative", "author", OtherWay, _PACKAGE)

ALTERNATIVES = Stage("alternatives", Proven, (WRITE_ALTERNATIVE,))


async def with_alternative(run: Run, trials: Trials, proven: Proven) -> Proven:
    """Return a scenario with a second solution, executed and worth the full reward.

    Args:
        run: The run.
        trials: The program.
        proven: The scenario.

    Raises:
        Dropped: Nobody finds one.
        Unfinished: A provider failed.
    """
    scenario = proven.scenario

    async def work() -> Proven:
        answer = await run.ask(
            WRITE_ALTERNATIVE,
            scenario.name,
            lambda found: _require_full_reward(trials, scenario, found),
            environment=trials.pack.environment,
            scenario=scenario,
        )
        calls = tuple(call.made for call in answer.calls)
        return proven.model_copy(
            update={"scenario": scenario.model_copy(update={"alternatives": (calls,)})}
        )

    return await run.stage(ALTERNATIVES, scenario.name, [trials.program, proven], work)


def _require_full_reward(trials: Trials, scenario: Scenario, answer: OtherWay) -> None:
    calls = [call.made for call in answer.calls]
    if _plain(calls) == _plain(scenario.solution):
        raise AnswerFault("these are the calls of the solution itself")
    try:
        with Episode(scenario, trials.runtime) as episode:
            for number, call in enumerate(calls, start=1):
                observation = episode.call(call.name, call.arguments)
                if episode.calls[-1].status != "ok":
                    raise AnswerFault(f"call {number} ({call.name}) fails: {observation}")
            grade = episode.grade()
    except EnvironmentFault as fault:
        raise AnswerFault(str(fault)) from None
    missed = [check.about for check in grade.checks if not check.passed]
    if missed or grade.collateral:
        raise AnswerFault(
            "these calls do not earn the full reward: "
            + "; ".join([*missed, *(f"{place} changes too" for place in grade.collateral)])
        )


def _plain(calls: "list[ToolCall] | tuple[ToolCall, ...]") -> list[object]:
    return [(call.name, call.arguments) for call in calls]
