"""Calls in the official form, and what they come to without `eval`.

Officially a call becomes the text `name(key=value, ...)`, a regular expression
puts an instance before each name of a tool that precedes a bracket, within
quoted text too, and Python evaluates the outcome. All that follows from this is
kept: the errors, and that `"total (2)"` arrives as `"total(2)"`. What is not
kept is that anything else can be evaluated: only tools are called.
"""

import ast
import json
import operator
import re
from collections.abc import Callable, Mapping
from keyword import iskeyword
from types import MappingProxyType
from typing import Any, NamedTuple

_NAME_BEFORE_BRACKET = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")
_FORBIDDEN = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
_NOT_FINITE = re.compile(r"\b(?:inf|nan)\b")
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = MappingProxyType(
    {
        ast.USub: operator.neg,
        ast.UAdd: operator.pos,
        ast.Not: operator.not_,
        ast.Invert: operator.invert,
    }
)

Method = Callable[..., Any]
"""A tool of an instance, which does not return what others may change later."""


class Call(NamedTuple):
    """A call as a model makes it through an API.

    Attributes:
        name: What it calls.
        arguments: A JSON object. Not to be modified.
    """

    name: str
    arguments: Mapping[str, Any]


def call_text(call: Call) -> str:
    """Return a call in the official form."""
    arguments = ",".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def is_plain(arguments: Mapping[str, Any]) -> bool:
    """Tell whether arguments arrive as they are when they go through the official form."""
    text = repr(arguments)
    return (
        "(" not in text
        and not _NOT_FINITE.search(text)
        and all(name.isidentifier() and name.isascii() for name in arguments)
        and not any(map(iskeyword, arguments))
    )


def own_copy(value: Any) -> Any:
    """Return a copy of a JSON value that its receiver may keep and change."""
    if isinstance(value, dict):
        return {name: own_copy(item) for name, item in value.items()}
    if isinstance(value, list):
        return [own_copy(item) for item in value]
    return value


def observation(result: Any) -> str:
    """Return the official text of a result."""
    if type(result) is str:
        return result
    if type(result) is dict:
        try:
            return json.dumps(result)
        except Exception:
            return str(result)
    return str(result)


def error_observation(error: Exception) -> str:
    """Return the official text of a call that failed."""
    return f"Error during execution: {error}"


class Evaluator:
    """Evaluates calls in the official form with a set of tools."""

    def __init__(self, methods: Mapping[str, Method], instances: Mapping[str, str]) -> None:
        """Take the tools.

        Args:
            methods: Tool -> what it does.
            instances: Tool -> the name of its instance, as it gets into texts.
        """
        self._methods = methods
        self._instances = instances

    def evaluate(self, text: str) -> Any:
        """Return the result of a call.

        Args:
            text: The call in the official form.

        Raises:
            Exception: What the call comes to officially, or it is more than
                calls of tools.
        """
        text = _NAME_BEFORE_BRACKET.sub(self._with_instance, text)
        called = text.split("(")[0]
        called = called.split(".")[1] if "." in called else called
        if called in _FORBIDDEN:
            raise PermissionError(f"Function call {called} is not allowed.")
        # The name of the file is part of the text of syntax errors.
        return self._value(ast.parse(text.lstrip(" \t"), "<string>", "eval").body)

    def _with_instance(self, match: re.Match[str]) -> str:
        name = match.group(1)
        return f"{self._instances[name]}.{name}" if name in self._instances else name

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.List():
                return [self._value(item) for item in node.elts]
            case ast.Tuple():
                return tuple(self._value(item) for item in node.elts)
            case ast.Dict() if None not in node.keys:
                keys = (self._value(key) for key in node.keys if key is not None)
                values = map(self._value, node.values)
                return dict(zip(keys, values, strict=True))
            case ast.UnaryOp():
                return _UNARY[type(node.op)](self._value(node.operand))
            case ast.Call():
                return self._called(node)
            case ast.Name():
                raise NameError(f"name {node.id!r} is not defined")
            case ast.BinOp():
                self._value(node.left)
            case ast.Attribute() | ast.Subscript():
                self._value(node.value)
        raise PermissionError(f"{ast.unparse(node)!r} is more than calls of the given functions")

    def _called(self, node: ast.Call) -> Any:
        match node.func:
            case ast.Attribute(value=ast.Name(id=instance), attr=name) if (
                self._instances.get(name) == instance
            ):
                args = [self._value(arg) for arg in node.args]
                kwargs = {k.arg: self._value(k.value) for k in node.keywords if k.arg is not None}
                if len(kwargs) == len(node.keywords):
                    return self._methods[name](*args, **kwargs)
        self._value(node.func)
        raise PermissionError(f"{ast.unparse(node)!r} is more than calls of the given functions")
