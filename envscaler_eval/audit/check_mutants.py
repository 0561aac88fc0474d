"""Wrong checks that look right: operators, constants and connectives changed."""

import ast
import copy
from collections.abc import Iterator

from envscaler_eval.parsing import parse

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_QUANTIFIERS = {"any": "all", "all": "any"}


def check_mutants(code: str) -> Iterator[tuple[str, str]]:
    """Yield changed versions of a check, each with what was done to it.

    Every comparison is turned round, every compared or counted constant
    changed, and every `and`, `or`, `not`, `any` and `all` exchanged, one at a
    time. Names of fields are left alone: a wrong one breaks the check, which
    shows by itself.
    """
    tree = parse(code)
    for position, node in enumerate(ast.walk(tree)):
        for label, change in _changes(node):
            mutant = copy.deepcopy(tree)
            target = next(n for index, n in enumerate(ast.walk(mutant)) if index == position)
            change(target)
            yield f"line {getattr(node, 'lineno', 0)}: {label}", ast.unparse(mutant)


class _Change:
    """A change to a node, applied to the same node of a copy."""

    def __init__(self, attribute: str, value: object, index: int | None = None) -> None:
        self._attribute = attribute
        self._value = value
        self._index = index

    def __call__(self, node: ast.AST) -> None:
        if self._index is None:
            setattr(node, self._attribute, self._value)
        else:
            getattr(node, self._attribute)[self._index] = self._value


def _changes(node: ast.AST) -> Iterator[tuple[str, _Change]]:
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                opposite = _OPPOSITES[type(operator)]
                label = f"{type(operator).__name__} -> {opposite.__name__}"
                yield label, _Change("ops", opposite(), index)
            yield from _constant("left", node.left)
            yield from _constants("comparators", node.comparators)
        case ast.BoolOp(op=ast.And()):
            yield "and -> or", _Change("op", ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield "or -> and", _Change("op", ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", _Change("op", ast.UAdd())
        case ast.Name(id=name) if name in _QUANTIFIERS:
            yield f"{name} -> {_QUANTIFIERS[name]}", _Change("id", _QUANTIFIERS[name])
        case ast.BinOp():
            yield from _constant("left", node.left)
            yield from _constant("right", node.right)
        case ast.Tuple() | ast.List() | ast.Set():
            yield from _constants("elts", node.elts)
        case ast.Dict():
            yield from _constants("values", node.values)
        case ast.Return(value=ast.Constant()):
            yield from _constant("value", node.value)


def _constants(attribute: str, nodes: list[ast.expr]) -> Iterator[tuple[str, _Change]]:
    for index, node in enumerate(nodes):
        yield from _constant(attribute, node, index)


def _constant(
    attribute: str, node: ast.expr | None, index: int | None = None
) -> Iterator[tuple[str, _Change]]:
    if isinstance(node, ast.Constant):
        for other in _other_constants(node.value):
            yield (
                f"{node.value!r} -> {other!r}",
                _Change(attribute, ast.Constant(other), index),
            )


def _other_constants(value: object) -> Iterator[bool | int | float | str]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
            yield value - 1
        case str():
            yield f"{value}~"


def text_literals(code: str) -> set[str]:
    """Return all texts in a check, names of fields included."""
    return set(_texts(parse(code)))


def compared_texts(code: str) -> set[str]:
    """Return the texts that a check compares with."""
    comparisons = (node for node in ast.walk(parse(code)) if isinstance(node, ast.Compare))
    sides = (side for node in comparisons for side in (node.left, *node.comparators))
    return {text for side in sides for text in _texts(side, fields=False)}


def _texts(tree: ast.AST, *, fields: bool = True) -> Iterator[str]:
    """Yield the texts below a node, with or without those that name fields."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(tree, ast.Subscript) and child is tree.slice and not fields:
            continue
        if isinstance(tree, ast.Dict) and child in tree.keys and not fields:
            continue
        yield from _texts(child, fields=fields)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.value
