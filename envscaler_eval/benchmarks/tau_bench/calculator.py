"""The `calculate` tool of both domains, by a bounded evaluator.

Upstream evaluates the expression with Python's `eval`, which a short power
tower hangs. Here the syntax tree is evaluated, with the same results and error
texts, and integers that grow too large end as they would when upstream finally
turned them into a float.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

_ALLOWED = "0123456789+-*/(). "
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
# A float holds 1024 bits. Larger integers are only of use in quotients.
_MAX_BITS = 200_000
# Over a whole expression, so that many large integers are as harmless as one.
_MAX_TOTAL_BITS = 4_000_000


def calculate(expression: Any) -> str:
    """Evaluate an arithmetic expression.

    Args:
        expression: Python arithmetic in digits, `+-*/().` and spaces. Other
            types are treated as upstream does.

    Returns:
        The value as a float rounded to two places, or a text that starts with
        `Error: `.

    Raises:
        TypeError: The expression cannot be iterated over.

    Source: `tau_bench/envs/retail/tools/calculate.py`.
    """
    if not all(char in _ALLOWED for char in expression):
        return "Error: invalid characters in expression"
    try:
        return str(round(float(_evaluate(expression)), 2))
    except Exception as error:
        return f"Error: {error}"


def _evaluate(expression: Any) -> Any:
    if not isinstance(expression, str):
        raise TypeError("eval() arg 1 must be a string, bytes or code object")
    # `eval` strips these too, and names its source so in error texts.
    tree = ast.parse(expression.lstrip(" \t"), filename="<string>", mode="eval")
    budget = _Budget()
    values: list[Any] = []
    # An explicit stack: a long sum is a tree as deep as it has terms.
    pending: list[tuple[ast.AST, bool]] = [(tree.body, False)]
    while pending:
        node, ready = pending.pop()
        operands = _operands(node)
        if not ready:
            pending.append((node, True))
            pending.extend((operand, False) for operand in reversed(operands))
            continue
        arguments = [values.pop() for _ in operands][::-1]
        values.append(_apply(node, arguments, budget))
    return values.pop()


def _operands(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call(func=function, args=arguments, keywords=keywords):
            return [function, *arguments, *(keyword.value for keyword in keywords)]
        case ast.Starred(value=value):
            return [value]
    return []


def _apply(node: ast.AST, arguments: list[Any], budget: "_Budget") -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=[]):
            return ()
        case ast.UnaryOp(op=unary):
            return _UNARY[type(unary)](*arguments)
        case ast.BinOp(op=binary):
            budget.check(binary, *arguments)
            return _BINARY[type(binary)](*arguments)
        case ast.Starred():
            return arguments[0]
        case ast.Call():
            raise TypeError(_call_fault(node, arguments))
    raise SyntaxError("invalid syntax (<string>, line 1)")


def _call_fault(node: ast.Call, arguments: list[Any]) -> str:
    """Say why a call fails: no value of an arithmetic expression can be called."""
    function, *rest = arguments
    if node.keywords:
        kind = type(rest[-1]).__name__
        return f"{function} argument after ** must be a mapping, not {kind}"
    if node.args and isinstance(node.args[0], ast.Starred) and not isinstance(rest[0], tuple):
        kind = type(rest[0]).__name__
        return f"{function} argument after * must be an iterable, not {kind}"
    return f"'{type(function).__name__}' object is not callable"


class _Budget:
    """How many bits of integers one expression may still touch."""

    def __init__(self) -> None:
        self._left = _MAX_TOTAL_BITS

    def check(self, operation: ast.operator, left: Any, right: Any) -> None:
        """Refuse an integer operation with too large a result.

        Raises:
            OverflowError: With the text that a conversion to float gives.
        """
        if not (isinstance(left, int) and isinstance(right, int)):
            return
        bits = left.bit_length() + right.bit_length()
        if isinstance(operation, ast.Pow) and right > 0 and abs(left) > 1:
            bits = left.bit_length() * right
        self._left -= bits
        if bits > _MAX_BITS or self._left < 0:
            raise OverflowError("int too large to convert to float")
