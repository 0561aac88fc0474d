"""Which checks can only read.

Such a check needs neither copies of the states nor builtins of its own. It is
known by what stands in its text; whatever is not listed here counts as writing.
"""

import ast
import builtins
from collections.abc import Collection, Iterable
from functools import lru_cache

from envscaler_eval.parsing import parse

READING_BUILTINS = {
    name: getattr(builtins, name)
    for name in (
        *("abs", "all", "any", "bool", "dict", "enumerate", "filter", "float", "frozenset", "int"),
        *("isinstance", "iter", "len", "list", "map", "max", "min", "next", "range", "reversed"),
        *("round", "set", "sorted", "str", "sum", "tuple", "type", "zip"),
    )
}
"""All builtins that such a check uses."""

# All that unchangeable values offer, and what dicts offer for reading.
_METHODS = frozenset(
    name for kind in (str, int, float, tuple, frozenset) for name in dir(kind) if name[0] != "_"
) | {"get", "items", "keys", "values"}

_KINDS = (
    *(ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AnnAssign),
    *(ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.Pass, ast.Assert, ast.Expr),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.NamedExpr, ast.Lambda),
    *(ast.Call, ast.keyword, ast.Starred, ast.Attribute, ast.Subscript, ast.Slice, ast.Name),
    *(ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.List, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
    *(ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
)


@lru_cache(maxsize=4096)
def only_reads(code: str) -> bool:
    """Whether a check can only read, as long as the states hold no objects.

    Args:
        code: The check's code.
    """
    nodes = list(ast.walk(parse(code)))
    known = _names(nodes).union(READING_BUILTINS)
    return all(_reads(node, known) for node in nodes)


def _reads(node: ast.AST, known: Collection[str]) -> bool:
    match node:
        case ast.Name():
            return node.id in known
        case ast.Attribute():
            return node.attr in _METHODS
        case ast.Subscript():
            return isinstance(node.ctx, ast.Load)
        case ast.FunctionDef():
            return not node.decorator_list
        case _:
            return isinstance(node, _KINDS)


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that the code gives itself, but for those that it may mean a builtin by."""
    names = set()
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.arg():
                names.add(node.arg)
            case ast.FunctionDef():
                names.add(node.name)
    return names.difference(dir(builtins))
