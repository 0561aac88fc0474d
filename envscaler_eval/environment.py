"""An environment: a program that holds state, and the tools that it offers."""

import ast
from collections.abc import Collection
from functools import cached_property
from types import CodeType

from jsonschema_rs import Draft4Validator
from pydantic import Field, model_validator

from envscaler_eval.annotations import typed_dicts
from envscaler_eval.parsing import parse
from envscaler_eval.program import Program
from envscaler_eval.scenario import Frozen
from envscaler_eval.tool_schema import tools_of
from envscaler_eval.world import ToolSpec


class Environment(Frozen):
    """An environment program and what an agent is told about it.

    Attributes:
        id: Unique among environments.
        title: A short name for people.
        introduction: What the system is, told to the agent.
        rules: Business rules, told to the agent and enforced by the code.
        class_name: The class in `source` whose instance is the environment.
        source: The program's text.
        scratch: Whether it keeps files, and needs an empty folder to work in.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9_\-]+$")
    title: str
    introduction: str
    rules: tuple[str, ...]
    class_name: str
    source: str
    scratch: bool = False

    @model_validator(mode="after")
    def _offers_tools(self) -> "Environment":
        _ = self.tools
        return self

    @cached_property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools, read from the source without running it."""
        return tools_of(self.source, self.class_name)

    @cached_property
    def validators(self) -> dict[str, Draft4Validator]:
        """A validator of the arguments of each tool, by the tool's name.

        Draft 4 is the one in which 3.0 is no integer, as in Python.
        """
        return {tool.name: Draft4Validator(dict(tool.parameters)) for tool in self.tools}

    @cached_property
    def constructor_parameters(self) -> tuple[str, ...]:
        """The parameters of `__init__` after `self`."""
        constructor = self._constructor
        return () if constructor is None else tuple(a.arg for a in constructor.args.args[1:])

    @cached_property
    def constructor_reads_state(self) -> bool:
        """Whether `__init__` looks at the initial state that it is given."""
        return self._constructor is not None and any(
            isinstance(node, ast.Name) and node.id in self.constructor_parameters
            for node in ast.walk(self._constructor)
        )

    @cached_property
    def _constructor(self) -> ast.FunctionDef | None:
        for node in parse(self.source).body:
            if isinstance(node, ast.ClassDef) and node.name == self.class_name:
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                        return method
        return None

    @cached_property
    def program(self) -> Program:
        """The program, compiled."""
        return Program(
            id=self.id,
            class_name=self.class_name,
            constructor_parameters=self.constructor_parameters,
            constructor_reads_state=self.constructor_reads_state,
            code=self.code,
        )

    @cached_property
    def code(self) -> CodeType:
        """The compiled program, without what only a type checker reads."""
        module = parse(self.source)
        program = _WithoutTypes(typed_dicts(module)).visit(module)
        return compile(program, f"<environment {self.id}>", "exec", dont_inherit=True)


class _WithoutTypes(ast.NodeTransformer):
    """Drops signatures' annotations and makes typed dicts plain ones.

    A program is executed once an episode, and building its types would take
    longer than the rest of the start.
    """

    def __init__(self, typed: Collection[str]) -> None:
        self._typed = typed

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        if node.name in self._typed:
            plain = parse(f"{node.name} = dict").body[0]
            return ast.copy_location(plain, node)
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        self.generic_visit(node)
        return node
