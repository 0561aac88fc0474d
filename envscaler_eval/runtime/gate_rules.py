"""The rules of the static gate."""

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from envscaler_eval.runtime.confined.modules import FILE_MODULES, MODULES
from envscaler_eval.runtime.gate_names import (
    CONSTANT_BUILTINS,
    CONSTANT_METHODS,
    FORBIDDEN_NAMES,
    HARMLESS_DUNDERS,
    INTERNALS,
    NAMED_ATTRIBUTE_ACCESS,
)


@dataclass(frozen=True)
class Violation:
    """Something that the gate does not let through.

    Attributes:
        line: Where, counted from 1.
        fault: What, and the remedy.
    """

    line: int
    fault: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"line {self.line}: {self.fault}"


class Definitions:
    """Finds what happens when a module is loaded beyond defining.

    Constants may be made with what comes from the allowed modules and with
    builtins that only compute, never with functions of the program itself.
    """

    def __init__(self, module: ast.Module) -> None:
        """Prepare to read a module."""
        self._imported = {
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(module)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }

    def read(self, body: list[ast.stmt]) -> Iterator[Violation]:
        """Read the statements of a module or a class."""
        for node in body:
            match node:
                case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
                    continue
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    defaults = (*node.args.defaults, *filter(None, node.args.kw_defaults))
                    yield from self._calls(*node.decorator_list, *defaults)
                case ast.ClassDef():
                    keywords = (keyword.value for keyword in node.keywords)
                    yield from self._calls(*node.bases, *keywords, *node.decorator_list)
                    yield from self.read(node.body)
                case ast.AnnAssign(value=None):
                    continue
                case ast.Assign(targets=targets, value=value):
                    yield from self._assignment(node.lineno, targets, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    yield from self._assignment(node.lineno, [target], value)
                case _:
                    yield Violation(
                        node.lineno,
                        "a statement at module or class level does more than define; "
                        "move it into `__init__` or a function",
                    )

    def _assignment(
        self, line: int, targets: list[ast.expr], value: ast.expr
    ) -> Iterator[Violation]:
        parts = (part for target in targets for part in ast.walk(target))
        if not all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in parts):
            yield Violation(line, "module level assigns into an object; assign to names only")
        yield from self._calls(value)

    def _calls(self, *expressions: ast.expr) -> Iterator[Violation]:
        for expression in expressions:
            for node in ast.walk(expression):
                if isinstance(node, ast.Call) and not self._makes_a_constant(node.func):
                    yield Violation(
                        node.lineno,
                        f"calls {ast.unparse(node.func)[:60]} at module or class level; "
                        "move the call into `__init__` or a function",
                    )

    def _makes_a_constant(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id=name):
                return name in CONSTANT_BUILTINS or name in self._imported
            case ast.Attribute(attr=name):
                return name in CONSTANT_METHODS or _chain(function)[0] in self._imported
            case _:
                return False


class Uses:
    """Walks a module and collects what is not allowed anywhere in it."""

    def __init__(self, files: bool) -> None:
        """Prepare to read a module, which may use files or not."""
        self._modules = MODULES | FILE_MODULES if files else MODULES
        self._forbidden = {
            name: remedy
            for name, remedy in FORBIDDEN_NAMES.items()
            if not (files and name == "open")
        }
        self._imported: dict[str, str] = {}
        self._exempt: set[ast.AST] = set()

    def read(self, module: ast.Module) -> Iterator[Violation]:
        """Read a module."""
        nodes = list(ast.walk(module))
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._import(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                self._exempt.update(_uses_of_its_own_names(node))
            elif isinstance(node, ast.Call) and _is_named_access(node.func):
                # Judged by the name that it is called with.
                self._exempt.add(node.func)
        for node in nodes:
            yield from self._node(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Violation]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in self._modules:
                    yield self._not_allowed(node, alias.name)
                else:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    self._imported[alias.asname or name] = name
        elif node.level or node.module not in self._modules:
            yield self._not_allowed(node, "." * node.level + (node.module or ""))
        else:
            for alias in node.names:
                yield from self._reach(node.lineno, node.module, [alias.name])

    def _not_allowed(self, node: ast.stmt, name: str) -> Violation:
        return Violation(
            node.lineno, f"imports {name}; use one of {', '.join(sorted(self._modules))}"
        )

    def _reach(self, line: int, root: str, names: list[str]) -> Iterator[Violation]:
        """Refuse modules that allowed ones happen to hold, such as `random._os`."""
        place: object = importlib.import_module(root)
        for name in names:
            path = f"{root}.{name}"
            if name == "*":
                yield Violation(line, f"imports everything from {root}; name what you use")
            elif name.startswith("_") and name not in HARMLESS_DUNDERS:
                yield Violation(line, f"reaches {path}, which is private; leave it out")
            place = getattr(place, name, None)
            if not isinstance(place, ModuleType):
                return
            own = place.__name__.startswith(f"{root.partition('.')[0]}.")
            if not own and place.__name__ not in self._modules and path not in self._modules:
                yield Violation(line, f"reaches the module {path}; leave it out")
            root = path

    def _node(self, node: ast.AST) -> Iterator[Violation]:
        match node:
            case ast.Attribute(attr=name):
                yield from self._attribute(node.lineno, name)
                owner, names = _chain(node)
                if owner in self._imported:
                    yield from self._reach(node.lineno, self._imported[owner], names)
                    if not isinstance(node.ctx, ast.Load):
                        yield Violation(
                            node.lineno, f"changes {owner}.{name}; modules stay as they are"
                        )
            case ast.Name(id=name) if node not in self._exempt:
                yield from self._name(node, name)
            case ast.Call(func=ast.Name(id=name)) if _is_named_access(node.func):
                yield from self._named_access(node, name)
            case ast.MatchClass():
                for attribute in node.kwd_attrs:
                    yield from self._attribute(node.lineno, attribute)

    def _name(self, node: ast.Name, name: str) -> Iterator[Violation]:
        if name in self._forbidden:
            yield Violation(node.lineno, f"uses {name}; {self._forbidden[name]}")
        elif name in NAMED_ATTRIBUTE_ACCESS:
            yield Violation(node.lineno, f"uses {name} without naming an attribute; write it out")
        elif _is_dunder(name) and isinstance(node.ctx, ast.Load) and name != "__name__":
            yield Violation(node.lineno, f"uses {name}; leave it out")

    def _attribute(self, line: int, name: str) -> Iterator[Violation]:
        if (_is_dunder(name) and name not in HARMLESS_DUNDERS) or name in INTERNALS:
            yield Violation(line, f"accesses .{name}, an internal of Python; leave it out")

    def _named_access(self, node: ast.Call, name: str) -> Iterator[Violation]:
        """Let `getattr` through for names that can be read here, and for `self`.

        Honest programs look up their own collections by computed names.
        """
        match node.args[:2]:
            case [_, ast.Constant(value=str() as attribute)]:
                yield from self._attribute(node.lineno, attribute)
            case [ast.Name(id="self"), _]:
                return
            case _:
                yield Violation(
                    node.lineno, f"calls {name} with a computed name; write the name out"
                )


def _is_named_access(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in NAMED_ATTRIBUTE_ACCESS


def _uses_of_its_own_names(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> Iterator[ast.Name]:
    """Find where a function uses an argument of its own that is named like a builtin."""
    given = function.args
    arguments = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in arguments and not _is_dunder(node.id):
            yield node


def _chain(node: ast.Attribute) -> tuple[str, list[str]]:
    """Split `a.b.c` into its first name and the rest; no name when it starts otherwise."""
    names: list[str] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        names.insert(0, inner.attr)
        inner = inner.value
    return (inner.id if isinstance(inner, ast.Name) else "", names)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
