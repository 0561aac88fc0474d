"""Arithmetic in arguments, within bounds and without `eval`."""

import ast
import operator
import re
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

# Bounds of what an operation may make, so that no message can hang or fill a host.
_MAX_LENGTH = 100_000
_MAX_BITS = 20_000
_WIDE_FORMAT = re.compile(r"\d{4}|\*")
_NUMBERS = (int, float, complex)

_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
        ast.Pow: operator.pow,
        ast.LShift: operator.lshift,
        ast.RShift: operator.rshift,
        ast.BitOr: operator.or_,
        ast.BitAnd: operator.and_,
        ast.BitXor: operator.xor,
    }
)
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = MappingProxyType(
    {
        ast.USub: operator.neg,
        ast.UAdd: operator.pos,
        ast.Not: operator.not_,
        ast.Invert: operator.invert,
    }
)


def calculate(expression: ast.expr) -> Any:
    """Return the value of an expression over literals.

    Args:
        expression: Operators, literals, and calls of a few functions of numbers and
            texts.

    Raises:
        ValueError: If it is anything else, or its value would be too large.
        Exception: Whatever an operation raises.
    """
    match expression:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=sign, operand=operand):
            return _UNARY[type(sign)](calculate(operand))
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
            return _apply(type(operation), calculate(left), calculate(right))
        case ast.List(elts=elements):
            return [calculate(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(calculate(element) for element in elements)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(calculate(argument) for argument in arguments))
    raise ValueError(f"{ast.unparse(expression)} is not arithmetic over literals")


def _apply(operation: type[ast.operator], left: Any, right: Any) -> Any:
    operands = (left, right)
    if operation is ast.Mult and not all(isinstance(operand, _NUMBERS) for operand in operands):
        sequence, times = (right, left) if isinstance(left, int) else (left, right)
        _check(len(repr(sequence)) * times <= _MAX_LENGTH)
    if operation is ast.Mod and not isinstance(left, _NUMBERS):
        _check(isinstance(left, str) and not _WIDE_FORMAT.search(left))
    if operation is ast.Pow and isinstance(left, int) and isinstance(right, int):
        _check(left.bit_length() * max(right, 0) <= _MAX_BITS)
    if operation is ast.LShift:
        _check(right <= _MAX_BITS)
    for operand in operands:
        _check(not isinstance(operand, int) or operand.bit_length() <= _MAX_BITS)
    return _OPERATIONS[operation](left, right)


def _round(number: Any, digits: int | None = None) -> Any:
    _check(digits is None or abs(digits) <= sys.float_info.max_10_exp)
    return round(number, digits)


def _check(within: bool) -> None:
    if not within:
        raise ValueError("the value is too large")


_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "str": str,
        "int": int,
        "float": float,
        "round": _round,
        "abs": abs,
        "len": len,
        "sum": sum,
        "min": min,
        "max": max,
    }
)
