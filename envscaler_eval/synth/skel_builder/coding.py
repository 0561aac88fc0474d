"""Coding: a class from a plan, one method after another, each checked as it comes."""

from pydantic import Field

from envscaler_eval.scenario import Frozen
from envscaler_eval.synth.answer import AnswerModel
from envscaler_eval.synth.pipeline import Run, Stage, gathered
from envscaler_eval.synth.skel_builder.assembly import read_method, with_imports, with_methods
from envscaler_eval.synth.skel_builder.plan import Operation, Plan
from envscaler_eval.synth.skel_builder.soundness import require_class, require_method
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.skel_builder"
_ATTEMPTS = 4


class ClassCode(AnswerModel):
    """A module with the types and the class, but no tools yet."""

    code: str = Field(min_length=1)


class MethodCode(AnswerModel):
    """A tool.

    Attributes:
        imports: Import statements that it needs and the module lacks.
        code: The method.
    """

    imports: tuple[str, ...]
    code: str = Field(min_length=1)


class Program(Frozen):
    """An environment program.

    Attributes:
        plan: What it carries out.
        source: Its text.
        versions: How often each tool has been written, for those more than once.
    """

    plan: Plan
    source: str
    versions: dict[str, int] = Field(default_factory=dict)

    @property
    def class_name(self) -> str:
        """The class."""
        return self.plan.state.class_name

    @property
    def tools(self) -> list[str]:
        """The names of the tools."""
        return [operation.name for operation in self.plan.operations]

    def version(self, tool: str) -> int:
        """Return how often a tool has been written."""
        return self.versions.get(tool, 1)


WRITE_CLASS = Step("write_class", "coder", ClassCode, _PACKAGE, _ATTEMPTS)
WRITE_TOOL = Step("write_tool", "coder", MethodCode, _PACKAGE, _ATTEMPTS)

PROGRAMS = Stage("programs", Program, (WRITE_CLASS, WRITE_TOOL))


async def write_program(run: Run, plan: Plan) -> Program:
    """Write the program of a plan.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """
    return await run.stage(PROGRAMS, plan.topic.id, plan, lambda: _write(run, plan))


async def _write(run: Run, plan: Plan) -> Program:
    item = plan.topic.id
    names = [operation.name for operation in plan.operations]
    answer = await run.ask(
        WRITE_CLASS, item, lambda found: require_class(found.code, plan.state), plan=plan
    )
    base = answer.code.rstrip() + "\n"

    async def write(operation: Operation) -> MethodCode:
        def check(found: MethodCode) -> None:
            require_method(
                _with(base, plan, operation.name, found), plan.state, names, operation.name
            )

        place = f"{item}/{operation.name}"
        return await run.ask(WRITE_TOOL, place, check, plan=plan, operation=operation, base=base)

    source = base
    methods = await gathered(*map(write, plan.operations))
    for operation, method in zip(plan.operations, methods, strict=True):
        source = _with(source, plan, operation.name, method)
    return Program(plan=plan, source=source)


def _with(source: str, plan: Plan, name: str, method: MethodCode) -> str:
    text = read_method(method.code, name)
    imported = with_imports(source, method.imports)
    return with_methods(imported, plan.state.class_name, {name: text})
