"""What counts as calls in the answer of a model, as the official handlers read it."""

import ast
import json
import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from envscaler_eval.benchmarks.bfcl.calls import Call

_BITS = 10_000
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
        ast.Pow: operator.pow,
        ast.BitOr: operator.or_,
        ast.BitAnd: operator.and_,
        ast.BitXor: operator.xor,
        ast.LShift: operator.lshift,
        ast.RShift: operator.rshift,
    }
)


class DecodingError(ValueError):
    """An answer holds no calls."""


def decode_calls(calls: Sequence[Mapping[str, Any]]) -> list[Call]:
    """Read the calls of one generation through an API.

    Args:
        calls: Each with `name` and `arguments`, an object or its JSON text.

    Returns:
        The calls; none if any of them cannot be read.
    """
    decoded = []
    for call in calls:
        arguments = call["arguments"]
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                return []
        if not isinstance(arguments, Mapping):
            return []
        decoded.append(Call(call["name"], arguments))
    return decoded


def decode_text(answer: str, snapshot: str) -> list[str]:
    """Read the calls of one generation in the prompt mode.

    Args:
        answer: What the model wrote, which should be `[name(key=value), ...]`.
        snapshot: `v4` or `v3`; they strip differently.

    Returns:
        The calls in the official form; none if the text is not as it should be.
    """
    text = answer.strip("`\n ")
    text = text if text.startswith("[") else "[" + text
    text = text if text.endswith("]") else text + "]"
    text = text.strip("[]'") if snapshot == "v3" else text.strip().strip("'")
    try:
        body = ast.parse(text, mode="eval").body
        if isinstance(body, ast.Call):
            elements: list[ast.expr] = [body]
        elif isinstance(body, ast.List | ast.Tuple | ast.Set):
            elements = body.elts
        else:
            return []
        return [_in_official_form(_call(element)) for element in elements]
    except Exception:
        # Officially whatever goes wrong here means that there are no calls.
        return []


def _call(node: ast.expr) -> dict[str, dict[str | None, Any]]:
    """Read `name(key=value, ...)`; positional arguments get lost, as officially."""
    if not isinstance(node, ast.Call):
        raise DecodingError
    parts: list[str] = []
    function = node.func
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if isinstance(function, ast.Name):
        parts.append(function.id)
    name = ".".join(reversed(parts))
    return {name: {keyword.arg: _value(keyword.value) for keyword in node.keywords}}


def _value(node: ast.expr | None) -> Any:
    match node:
        case ast.Constant():
            return "..." if node.value is Ellipsis else node.value
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() | complex() as number)):
            # Whatever the operator is.
            return -number
        case ast.List():
            return [_value(item) for item in node.elts]
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return {_value(key): _value(value) for key, value in pairs}
        case ast.BinOp():
            return _arithmetic(node)
        case ast.Name():
            return node.id
        case ast.Call():
            return _call(node) if node.keywords else ast.unparse(node)
        case ast.Tuple():
            return tuple(_value(item) for item in node.elts)
        case ast.Subscript():
            return f"{ast.unparse(node.value)}[{ast.unparse(node.slice)}]"
    raise DecodingError


def _arithmetic(node: ast.expr) -> Any:
    """Compute with constants; officially this is the one place that evaluates text."""
    match node:
        case ast.Constant():
            return node.value
        case ast.UnaryOp(op=ast.USub()):
            return -_arithmetic(node.operand)
        case ast.UnaryOp(op=ast.UAdd()):
            return +_arithmetic(node.operand)
        case ast.BinOp():
            left, right = _arithmetic(node.left), _arithmetic(node.right)
            if _size(node.op, left, right) <= _BITS:
                return _OPERATORS[type(node.op)](left, right)
    raise DecodingError


def _size(op: ast.operator, left: Any, right: Any) -> int:
    """Return about how many bits or characters the result has, where that can explode."""
    if isinstance(left, int) and isinstance(right, int):
        if isinstance(op, ast.Pow):
            return left.bit_length() * max(right, 0)
        if isinstance(op, ast.LShift):
            return left.bit_length() + max(right, 0)
    if isinstance(op, ast.Mult):
        for text, times in ((left, right), (right, left)):
            if isinstance(text, str | bytes) and isinstance(times, int):
                return len(text) * max(times, 0)
    return 0


def _in_official_form(call: Mapping[str, Mapping[str | None, Any]]) -> str:
    ((name, arguments),) = call.items()
    return f"{name}({', '.join(f'{key}={_text(value)}' for key, value in arguments.items())})"


def _text(value: Any) -> str:
    """Write a value; a dict of nothing but dicts passes for a nested call, as officially."""
    if not isinstance(value, dict):
        return repr(value)
    if all(isinstance(item, dict) for item in value.values()):
        name = next(iter(value))
        arguments = ", ".join(f"{key}={_text(item)}" for key, item in value[name].items())
        return f"{name}({arguments})"
    return "{" + ", ".join(f"'{key}': {_text(item)}" for key, item in value.items()) + "}"
