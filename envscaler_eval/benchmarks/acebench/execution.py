"""Running the calls of an agent's message on a world, as the official loops do."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envscaler_eval.benchmarks.acebench.calls import UndecodableError, decode, parse_expression
from envscaler_eval.benchmarks.acebench.observations import parsed, readable_error
from envscaler_eval.benchmarks.acebench.worlds import AceWorld

# The executor's answer to a multi_step message that is no call, in both languages.
NO_QUESTIONS = "Please do not ask me any questions, use the known conditions to solve the problem"

# Where upstream looks for the tool's name in a rendered call.
_TOOL_NAME = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")

_BRACKETS = re.compile(r"\[.*\]")

# CPython 3.11's text for the result that upstream forgets to set.
_NO_RESULT = (
    "cannot access local variable 'func_call_result' where it is not associated with a value"
)

# What upstream returns, and then takes for a list, because it is not an f-string.
_MULTI_TURN_ERROR = "Error during execution: {str(e)}"


@dataclass(frozen=True)
class Execution:
    """What came of one message.

    Attributes:
        observation: What the agent is shown, by `str`: a list, or a text.
        kept: Whether upstream keeps the platforms' states after it.
    """

    observation: list[Any] | str
    kept: bool


def execute_multi_step(world: AceWorld, message: str) -> Execution:
    """Run a message of a multi_step task.

    Each call has a result of its own, an error too.

    Args:
        world: Where to run it.
        message: Any text; one without calls is answered by a fixed sentence.
    """
    try:
        calls = decode(message)
    except UndecodableError:
        return Execution(NO_QUESTIONS, kept=False)
    results = _Results(world)
    for call in calls:
        try:
            results.add(call)
        except Exception as error:
            results.shown.append(readable_error(error))
    return Execution(results.observed(), kept=True)


def execute_multi_turn(world: AceWorld, message: str) -> Execution:
    """Run a message of a multi_turn task.

    The first error ends it; what ran before stays done.

    Args:
        world: Where to run it.
        message: A text that decodes.

    Raises:
        UndecodableError: If it does not.
    """
    results = _Results(world)
    for call in decode(message):
        try:
            results.add(call)
        except Exception:
            return Execution(list(_MULTI_TURN_ERROR), kept=False)
    return Execution(results.observed(), kept=True)


def is_for_execution(message: str) -> bool:
    """Return whether a multi_turn message goes to the executor or to the user.

    Args:
        message: What the agent wrote; brackets count if they close on one line.
    """
    if not _BRACKETS.search(message):
        return False
    try:
        decode(message)
    except UndecodableError:
        return False
    return True


class _Results:
    """The results of one message, with upstream's memory of the last one."""

    def __init__(self, world: AceWorld) -> None:
        self.shown: list[Any] = []
        self._world = world
        self._last: list[Any] = []

    def add(self, call: str) -> None:
        """Run a call; one of an unknown tool repeats the result before."""
        self._last = _run(self._world, call)[-1:] or self._last
        if not self._last:
            raise UnboundLocalError(_NO_RESULT)
        self.shown += self._last

    def observed(self) -> list[Any]:
        """Return the results as shown, as late as this because they are live."""
        observation = []
        for result in self.shown:
            try:
                observation.append(parsed(result))
            except ValueError as error:
                observation.append(readable_error(error))
        return observation


def _run(world: AceWorld, call: str) -> list[Any]:
    """Run a rendered call on every platform that has its tool."""
    named = _TOOL_NAME.search(call)
    if named is None or not world.has_tool(named[1]):
        return []
    platform = "_platform"
    while platform in call:
        platform += "_"
    source = f"{call[: named.start()]}{platform}.{named[1]}{call[named.end() :]}"
    results: list[Any] = []

    def tool(**arguments: Any) -> None:
        results.extend(world.invoke(named[1], arguments))

    _Evaluator(platform, tool).value(parse_expression(source.lstrip(" \t")))
    return results


@dataclass(frozen=True)
class _Evaluator:
    """Evaluates rendered source, which holds literals and calls by keyword alone.

    Attributes:
        platform: The one name that has an attribute, whatever it is called.
        tool: That attribute.
    """

    platform: str
    tool: Callable[..., Any]

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression.

        Raises:
            NameError, TypeError: Where Python would, with its text.
            Exception: Whatever the tool raises.
        """
        match node:
            case ast.Constant(value=value):
                return value
            case ast.List(elts=elements):
                return [self.value(element) for element in elements]
            case ast.Tuple(elts=elements):
                return tuple(self.value(element) for element in elements)
            case ast.Dict(keys=keys, values=values):
                return {
                    self.value(key): self.value(value)
                    for key, value in zip(keys, values, strict=True)
                    if key is not None
                }
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.BinOp():
                # A complex number, the one literal with an operator.
                return ast.literal_eval(node)
            case ast.Attribute(value=ast.Name(id=name)) if name == self.platform:
                return self.tool
            case ast.Attribute(value=value, attr=attribute):
                owner = type(self.value(value)).__name__
                raise AttributeError(f"'{owner}' object has no attribute '{attribute}'")
            case ast.Name(id="dict"):
                # Of the builtins, the one that makes an argument that tools can use.
                return dict
            case ast.Name(id=name):
                raise NameError(f"name '{name}' is not defined")
            case ast.Call(func=function, args=[], keywords=keywords):
                called = self.value(function)
                arguments = {
                    keyword.arg: self.value(keyword.value)
                    for keyword in keywords
                    if keyword.arg is not None
                }
                if not callable(called):
                    raise TypeError(f"'{type(called).__name__}' object is not callable")
                return called(**arguments)
        raise ValueError(f"{ast.unparse(node)} cannot be evaluated")
