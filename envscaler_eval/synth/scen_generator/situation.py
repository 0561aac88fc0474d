"""Initial states of scenarios: as large and as entangled as work is."""

from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.skel_builder.situations import require_start
from envscaler_eval.synth.skel_builder.skeleton import Skeleton
from envscaler_eval.synth.skel_builder.trial import Start, Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.scen_generator"

WRITE_STATE = Step("write_state", "author", Start, _PACKAGE, attempts=4, temperature=0.7)


def states(fewest_records: int) -> Stage[Start]:
    """Return the stage, for states of so many records."""
    return Stage("states", Start, (WRITE_STATE,), (fewest_records,))


async def write_state(
    run: Run, skeleton: Skeleton, trials: Trials, number: int, fewest_records: int
) -> Start:
    """Return an initial state that fits the program.

    Args:
        run: The run.
        skeleton: The environment.
        trials: Its program, to start in the state.
        number: Which state of the environment it is, from 1.
        fewest_records: How many records it holds at least.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """
    plan = skeleton.program.plan

    def check(answer: Start) -> None:
        held = [answer.state.get(container) for container in plan.state.containers]
        records = sum(len(records) for records in held if isinstance(records, dict))
        if records < fewest_records:
            raise AnswerFault(f"the state has {records} records; give {fewest_records} or more")
        require_start(trials, answer, "this situation")

    async def work() -> Start:
        return await run.ask(
            WRITE_STATE,
            item,
            check,
            plan=plan,
            example=skeleton.starts[0],
            number=number,
            fewest=fewest_records,
        )

    item = f"{skeleton.id}/state {number}"
    return await run.stage(states(fewest_records), item, [skeleton, number], work)
