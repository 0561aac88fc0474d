"""Tools from source text: JSON schemas out of signatures and docstrings.

The source is read, never run, so that the tools of an environment from a
stranger can be listed without giving it a chance to act.
"""

import ast
from collections.abc import Iterator
from typing import Any

import docstring_parser

from envscaler_eval.annotations import Annotations, closed_object
from envscaler_eval.parsing import parse
from envscaler_eval.world import ToolSpec


class ToolSchemaError(ValueError):
    """A class cannot be turned into tools."""


def tools_of(source: str, class_name: str) -> tuple[ToolSpec, ...]:
    """Return the tools of an environment class, in the order of its methods.

    A tool is a public method without decorators. A parameter with a default is
    optional; one without an annotation takes anything. The description is the
    docstring up to its sections, and each parameter carries its own from
    `Args:` (Google) or `:param` (reST) entries.

    Args:
        source: The module's text.
        class_name: The class in it.

    Raises:
        ToolSchemaError: The text is no Python, or the class is missing, or it
            has no tools.
    """
    try:
        module = parse(source)
    except (SyntaxError, ValueError) as fault:
        where = f"line {fault.lineno}: " if isinstance(fault, SyntaxError) else ""
        raise ToolSchemaError(f"{where}{fault.args[0]}; the file must be valid Python") from None
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        raise ToolSchemaError(
            f"class '{class_name}' is missing; it has {sorted(classes) or 'none'}"
        )
    types = Annotations(module)
    tools = tuple(
        _tool(node, types) for node in classes[class_name].body if _is_tool_definition(node)
    )
    if not tools:
        raise ToolSchemaError(f"class '{class_name}' has no tools; give it public methods")
    return tools


def attribute_schemas(source: str, class_name: str) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each attribute that a class's `__init__` sets.

    Args:
        source: The module's text.
        class_name: The class in it.

    Returns:
        The schemas by attribute, in the order of the text; `{}` for an attribute
        without an annotation.
    """
    module = parse(source)
    types = Annotations(module)
    found: dict[str, dict[str, Any]] = {}
    for constructor in _constructors(module, class_name):
        for node in ast.walk(constructor):
            match node:
                case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                    found[name] = types.schema(node.annotation)
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
                    found.setdefault(name, {})
    return found


def _constructors(module: ast.Module, class_name: str) -> Iterator[ast.FunctionDef]:
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    yield method


def _is_tool_definition(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and not node.decorator_list
    )


def _tool(node: ast.stmt, types: Annotations) -> ToolSpec:
    assert isinstance(node, ast.FunctionDef)
    documentation = docstring_parser.parse(ast.get_docstring(node) or "")
    about = {param.arg_name: (param.description or "") for param in documentation.params}
    properties: dict[str, Any] = {}
    required = []
    for argument, default in _parameters(node.args):
        schema = dict(types.schema(argument.annotation))
        if about.get(argument.arg):
            schema["description"] = " ".join(about[argument.arg].split())
        if default is None:
            required.append(argument.arg)
        else:
            schema = _with_default(schema, default)
        properties[argument.arg] = schema
    description = "\n\n".join(
        part for part in (documentation.short_description, documentation.long_description) if part
    )
    return ToolSpec(
        name=node.name,
        description=description or node.name,
        parameters=closed_object(properties, required),
    )


def _parameters(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """Pair the parameters after `self` with their defaults."""
    positional = [*arguments.posonlyargs, *arguments.args]
    unset = [None] * (len(positional) - len(arguments.defaults))
    pairs: list[tuple[ast.arg, ast.expr | None]] = list(
        zip(positional, [*unset, *arguments.defaults], strict=True)
    )
    return [*pairs[1:], *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]


def _with_default(schema: dict[str, Any], default: ast.expr) -> dict[str, Any]:
    """Show the default; `x: str = None` also takes null, as its author meant."""
    try:
        value = ast.literal_eval(default)
    except ValueError:
        return schema
    if value is None and not _takes_null(schema):
        about = {"description": schema.pop("description")} if "description" in schema else {}
        schema = {"anyOf": [schema, {"type": "null"}], **about}
    if value is None or isinstance(value, str | int | float | bool | list | dict):
        schema["default"] = value
    return schema


def _takes_null(schema: dict[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(map(_takes_null, schema["anyOf"]))
    if "enum" in schema:
        return None in schema["enum"]
    return bool(schema.get("type", "null") == "null")
