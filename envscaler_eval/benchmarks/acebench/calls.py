"""The calls in an agent's message, in the official text form.

A message such as `[f(x=1), g(y='a')]` is taken apart by `ast` and never
evaluated. What upstream makes of unusual messages is kept
(`EXECUTION.decode_function_list` and what it calls), since models write them:
positional arguments are dropped, names are texts, every unary operator negates.
"""

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_eval.benchmarks.acebench.arithmetic import calculate


@dataclass(frozen=True)
class Call:
    """A call in a text, whose arguments may be values that JSON does not know.

    Attributes:
        name: The tool's name, with dots if the message had them.
        arguments: Its arguments by name.
    """

    name: str
    arguments: Mapping[str, Any]


class UndecodableError(ValueError):
    """A message is not a list of calls."""


def decode(message: str) -> tuple[str, ...]:
    """Return the calls of a message, each as text with its arguments normalised.

    Args:
        message: What the agent wrote.

    Returns:
        Texts `name(key=value, ...)`; none for a message such as `[hello]`.

    Raises:
        UndecodableError: If upstream would fail to decode the message.
    """
    try:
        return tuple(_rendered(call.name, call.arguments) for call in _calls(message))
    except Exception as error:
        raise UndecodableError(str(error)) from error


def parse_calls(message: str) -> tuple[Call, ...]:
    """Return the calls of a message, with the arguments that upstream reads in it.

    Args:
        message: As for `decode`.

    Raises:
        UndecodableError: If the message is not a list of calls.
    """
    try:
        return tuple(_calls(message))
    except Exception as error:
        raise UndecodableError(str(error)) from error


def parse_expression(source: str) -> ast.expr:
    """Return the syntax tree of an expression, without warnings about its style.

    Args:
        source: Python source of one expression.

    Raises:
        SyntaxError, ValueError, MemoryError, RecursionError: If it has none.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source, filename="<string>", mode="eval").body


def _expression(message: str) -> ast.expr:
    text = message[1:] if message[0] == " " else message
    text = text if text.startswith("[") else f"[{text}"
    text = text if text.endswith("]") else f"{text}]"
    return parse_expression(text.strip("[]'"))


def _calls(message: str) -> list[Call]:
    return [_call(node) for node in _call_nodes(_expression(message))]


def _call_nodes(expression: ast.expr) -> list[ast.Call]:
    match expression:
        case ast.Call():
            return [expression]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            calls = [element for element in elements if isinstance(element, ast.Call)]
            if len(calls) < len(elements):
                raise ValueError("an element is not a call")
            return calls
        case _:
            return []


def _call(call: ast.Call) -> Call:
    parts: list[str] = []
    function = call.func
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if isinstance(function, ast.Name):
        parts.append(function.id)
    # `**x` has no name, which upstream writes out as the argument `None`.
    arguments = {str(keyword.arg): _value(keyword.value) for keyword in call.keywords}
    return Call(".".join(reversed(parts)), arguments)


def _value(node: ast.expr | None) -> Any:
    """Return the value of an argument, a nested call as `{name: arguments}`."""
    match node:
        case ast.Constant(value=value):
            return "..." if value is Ellipsis else value
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() | complex() as number)):
            return -number
        case ast.List(elts=elements):
            return [_value(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(element) for element in elements)
        case ast.Dict(keys=keys, values=values):
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True)}
        case ast.BinOp():
            return calculate(node)
        case ast.Name(id=name):
            return name
        case ast.Call(keywords=[]):
            return ast.unparse(node)
        case ast.Call():
            call = _call(node)
            return {call.name: dict(call.arguments)}
        case ast.Subscript(value=value, slice=index):
            return f"{ast.unparse(value)}[{ast.unparse(index)}]"
        case _:
            raise ValueError(f"an argument is a {type(node).__name__}")


def _rendered(name: Any, arguments: Mapping[Any, Any]) -> str:
    return f"{name}({', '.join(f'{key}={_source(value)}' for key, value in arguments.items())})"


def _source(value: Any) -> str:
    """Return an argument as source text.

    A dict is taken for a nested call by its first key, so that one that is not
    raises. Dicts inside of lists are not looked at.
    """
    if isinstance(value, dict):
        name = next(iter(value))
        return _rendered(name, value[name])
    return repr(value)
