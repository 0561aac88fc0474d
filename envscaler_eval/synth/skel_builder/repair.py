"""Repair: what failed goes back to the coder, with the evidence."""

from pydantic import Field

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.skel_builder.assembly import (
    method_names,
    method_source,
    read_method,
    with_imports,
    with_methods,
)
from envscaler_eval.synth.skel_builder.assessment import Assessment
from envscaler_eval.synth.skel_builder.coding import Program
from envscaler_eval.synth.skel_builder.situations import require_start
from envscaler_eval.synth.skel_builder.soundness import require_class, require_method
from envscaler_eval.synth.skel_builder.trial import Start, Trials
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.skel_builder"


class Replacement(AnswerModel):
    """A method written anew."""

    name: str
    code: str = Field(min_length=1)


class Repair(AnswerModel):
    """What is wrong with a program, and the methods that put it right."""

    diagnosis: str = Field(min_length=1)
    imports: tuple[str, ...]
    methods: tuple[Replacement, ...] = Field(min_length=1)


REPAIR_PROGRAM = Step("repair_program", "coder", Repair, _PACKAGE, attempts=4)


async def repair(
    run: Run,
    program: Program,
    starts: tuple[Start, ...],
    found: Assessment,
    number: int,
    isolation: IsolationPolicy,
) -> Program:
    """Return a program with its faults repaired, as the coder sees it.

    Args:
        run: The run.
        program: The program.
        starts: The situations of the tests.
        found: What was found.
        number: Which repair it is, from 1.
        isolation: How the repaired program is started.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """

    def check(answer: Repair) -> None:
        _require_sound(program, answer)
        trials = Trials.of(_repaired(program, answer), isolation)
        for number, start in enumerate(starts, start=1):
            require_start(trials, start, f"situation {number}")

    answer = await run.ask(
        REPAIR_PROGRAM,
        f"{program.plan.topic.id}/repair {number}",
        check,
        plan=program.plan,
        source=program.source,
        starts=starts,
        faults=found.faults,
        notes=found.notes,
    )
    repaired = _repaired(program, answer)
    told = {
        "number": number,
        "diagnosis": answer.diagnosis,
        "methods": [method.name for method in answer.methods],
        "before": program.source,
        "after": repaired.source,
    }
    run.watcher.found("repaired", program.plan.topic.id, told)
    return repaired


def _require_sound(program: Program, answer: Repair) -> None:
    state, tools = program.plan.state, program.tools
    for method in answer.methods:
        if method.name not in tools and not method.name.startswith("_"):
            raise AnswerFault(
                f"'{method.name}' is neither a tool of the plan nor a private method; the tools "
                f"are {', '.join(tools)}"
            )
    source = _repaired(program, answer).source
    require_class(source, state)
    for name in method_names(source, program.class_name):
        if name != "__init__":
            require_method(source, state, tools, name)


def _repaired(program: Program, answer: Repair) -> Program:
    methods = {method.name: read_method(method.code, method.name) for method in answer.methods}
    source = with_imports(program.source, answer.imports)
    source = with_methods(source, program.class_name, methods)
    versions = dict(program.versions)
    for tool in program.tools:
        if _text(program.source, program, tool) != _text(source, program, tool):
            versions[tool] = program.version(tool) + 1
    return Program(plan=program.plan, source=source, versions=versions)


def _text(source: str, program: Program, tool: str) -> str:
    return method_source(source, program.class_name, tool)
