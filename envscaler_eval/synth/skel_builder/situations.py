"""Situations to test a program in: initial states that fit it."""

from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.state import canonical
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.skel_builder.coding import Program
from envscaler_eval.synth.skel_builder.plan import StatePlan
from envscaler_eval.synth.skel_builder.trial import Start, Trials
from envscaler_eval.synth.state_form import Reference, StateForm
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.skel_builder"
_FAULTS_TOLD = 8


class Starts(AnswerModel):
    """Situations."""

    starts: tuple[Start, ...]


WRITE_STARTS = Step("write_starts", "tester", Starts, _PACKAGE, attempts=4, temperature=0.7)


def references(state: StatePlan) -> tuple[Reference, ...]:
    """Return which records must name existing ones, by the plan."""
    return tuple(
        Reference(entity.container, attribute.name, attribute.refers_to)
        for entity in state.entities
        for attribute in entity.attributes
        if attribute.refers_to is not None
    )


async def write_starts(run: Run, trials: Trials, count: int) -> tuple[Start, ...]:
    """Return situations for tests.

    Args:
        run: The run.
        trials: The program, to start in each.
        count: How many.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """
    program = trials.program

    def check(answer: Starts) -> None:
        if len(answer.starts) != count:
            raise AnswerFault(f"there are {len(answer.starts)} situations; give {count}")
        for number, start in enumerate(answer.starts, start=1):
            require_start(trials, start, f"situation {number}")

    found = await run.ask(
        WRITE_STARTS, program.plan.topic.id, check, plan=program.plan, count=count
    )
    return found.starts


def require_start(trials: Trials, start: Start, name: str) -> None:
    """Refuse a situation that does not fit a program.

    Args:
        trials: The program.
        start: The situation.
        name: What to call it.

    Raises:
        AnswerFault: Its state has another form, names what is not there, or is not
            the state that the program then has.
    """
    program: Program = trials.program
    form = StateForm.of(program.source, program.class_name, references(program.plan.state))
    if found := list(form.faults(start.state)):
        told = "\n".join(f"- {fault}" for fault in found[:_FAULTS_TOLD])
        raise AnswerFault(f"the state of {name} does not fit the program:\n{told}")
    try:
        state = trials.state(start)
    except EnvironmentFault as fault:
        raise AnswerFault(f"the program does not start in {name}: {fault}") from None
    if canonical(state) != canonical(start.state):
        raise AnswerFault(f"the program does not keep the state of {name} as it is given")
