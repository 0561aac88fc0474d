"""A program from its parts: put together and taken apart by its syntax tree."""

import ast
import textwrap
from collections.abc import Mapping, Sequence

from envscaler_eval.parsing import parse
from envscaler_eval.runtime.gate import violations
from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.tool_schema import ToolSchemaError, tools_of

_INDENT = " " * 4


def read_method(code: str, name: str) -> str:
    """Return the text of a single method, without indentation.

    Args:
        code: What was given for it.
        name: The name that it must have.

    Raises:
        AnswerFault: It is not one method of that name.
    """
    text = textwrap.dedent(code).strip("\n")
    body = _parsed(text).body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise AnswerFault(
            f"the code must be the one method `def {name}(self, ...)` and nothing around it; "
            f"it has {len(body)} statements at its top level"
        )
    method = body[0]
    if method.name != name:
        raise AnswerFault(f"the method is called '{method.name}'; call it '{name}'")
    if method.decorator_list:
        raise AnswerFault("the method has decorators; leave them out")
    parameters = method.args
    if not parameters.args or parameters.args[0].arg != "self":
        raise AnswerFault("the first parameter must be `self`")
    if parameters.vararg or parameters.kwarg or parameters.posonlyargs:
        raise AnswerFault("name each parameter; no *args, **kwargs or positional-only ones")
    return text


def with_methods(source: str, class_name: str, methods: Mapping[str, str]) -> str:
    """Return a program whose class has these methods, in the place of old ones or at its end.

    Comments and layout of what is there are kept.

    Args:
        source: The program.
        class_name: Its class.
        methods: Texts of methods without indentation, by name.

    Raises:
        AnswerFault: The program is no Python or lacks the class.
    """
    for name, text in methods.items():
        lines = source.splitlines()
        found = _class(source, class_name)
        old = next(
            (n for n in found.body if isinstance(n, ast.FunctionDef) and n.name == name), None
        )
        first, last = _span(old) if old else (_end(found) + 1, _end(found))
        new = _indented(text).splitlines()
        if old is None:
            new = ["", *new]
        source = "\n".join([*lines[: first - 1], *new, *lines[last:]]) + "\n"
    return source


def with_imports(source: str, imports: Sequence[str]) -> str:
    """Return a program that also has these imports, each once.

    Args:
        source: The program.
        imports: Import statements.

    Raises:
        AnswerFault: One is no import statement.
    """
    for statement in imports:
        module = _parsed(source)
        there = {ast.dump(node) for node in module.body}
        for node in _parsed(textwrap.dedent(statement).strip()).body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                raise AnswerFault(f"`imports` holds `{statement}`, which is no import statement")
            if ast.dump(node) not in there:
                source = _with_import(source, module, ast.unparse(node))
                module = _parsed(source)
    return source


def _with_import(source: str, module: ast.Module, statement: str) -> str:
    """Put an import behind the others, or behind the docstring."""
    lines = source.splitlines()
    last = 0
    for node in module.body:
        is_docstring = last == 0 and ast.get_docstring(module) is not None
        if not isinstance(node, ast.Import | ast.ImportFrom) and not is_docstring:
            break
        last = node.end_lineno or node.lineno
    return "\n".join([*lines[:last], statement, *lines[last:]]) + "\n"


def method_source(source: str, class_name: str, name: str) -> str:
    """Return the text of a method of a program, without indentation.

    Raises:
        AnswerFault: The program is no Python or lacks the class.
        KeyError: The class lacks the method.
    """
    lines = source.splitlines()
    for node in _class(source, class_name).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first, last = _span(node)
            return textwrap.dedent("\n".join(lines[first - 1 : last]))
    raise KeyError(name)


def without_tools(source: str, class_name: str) -> str:
    """Return a program without its public methods: types, `__init__` and helpers."""
    lines = source.splitlines()
    for node in reversed(_class(source, class_name).body):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            first, last = _span(node)
            del lines[first - 1 : last]
    return "\n".join(lines).rstrip() + "\n"


def method_names(source: str, class_name: str) -> list[str]:
    """Return the methods of a program's class, in the order of the text."""
    body = _class(source, class_name).body
    return [node.name for node in body if isinstance(node, ast.FunctionDef)]


def require_admissible(source: str) -> None:
    """Refuse a program that the static gate does not let through.

    Raises:
        AnswerFault: Names each line and what is wrong with it.
    """
    if found := violations(source):
        lines = source.splitlines()
        told = "\n".join(
            f"- {violation.fault}: `{lines[violation.line - 1].strip()[:120]}`"
            for violation in found[:6]
        )
        raise AnswerFault(f"the code does what may not be done here:\n{told}")


def require_described(source: str, class_name: str, names: list[str]) -> None:
    """Refuse tools of which an agent would not know what they take.

    Args:
        source: The program.
        class_name: Its class.
        names: The tools.

    Raises:
        AnswerFault: One lacks a description, a type or the account of a parameter.
    """
    try:
        tools = {tool.name: tool for tool in tools_of(source, class_name)}
    except ToolSchemaError as fault:
        raise AnswerFault(str(fault)) from None
    for name in names:
        tool = tools[name]
        if tool.description == name:
            raise AnswerFault(f"`{name}` has no docstring; say what it does")
        for parameter, schema in tool.parameters["properties"].items():
            if not set(schema) - {"description", "default"}:
                raise AnswerFault(
                    f"`{name}`: parameter '{parameter}' has no type that can be read; annotate it "
                    "with str, int, float, bool, list[...], dict[str, ...], Literal[...] or "
                    "X | None"
                )
            if not schema.get("description"):
                raise AnswerFault(
                    f"`{name}`: parameter '{parameter}' is not described under `Args:`"
                )


def _parsed(text: str) -> ast.Module:
    try:
        return parse(text)
    except (SyntaxError, ValueError) as fault:
        line = fault.lineno if isinstance(fault, SyntaxError) else None
        shown = f" at line {line}: `{text.splitlines()[line - 1].strip()[:120]}`" if line else ""
        raise AnswerFault(f"the code is no Python ({fault.args[0]}){shown}") from None


def _class(source: str, class_name: str) -> ast.ClassDef:
    for node in _parsed(source).body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            return node
    raise AnswerFault(f"the code has no class '{class_name}'")


def _span(node: ast.FunctionDef) -> tuple[int, int]:
    """Return the first and the last line of a method, from 1."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or node.lineno


def _end(node: ast.ClassDef) -> int:
    return node.end_lineno or node.lineno


def _indented(text: str) -> str:
    """Indent a method, unless that would change a text in it other than its docstring."""
    indented = textwrap.indent(text, _INDENT)
    if _meaning(indented, indent=True) == _meaning(text):
        return indented
    return textwrap.indent(ast.unparse(parse(text)), _INDENT)


def _meaning(text: str, indent: bool = False) -> str:
    module = parse(f"class _:\n{text}" if indent else text)
    method = next(node for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    if ast.get_docstring(method) is not None:
        method.body[0] = ast.Pass()
    return ast.dump(method)
