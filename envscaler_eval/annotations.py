"""JSON schemas out of annotations, which are read and never run."""

import ast
from typing import Any

from envscaler_eval.parsing import parse_expression

_SCALARS: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "Decimal": {"type": "number"},
    "Any": {},
    "object": {},
}
_ARRAYS = {"list", "List", "Sequence", "Iterable", "tuple", "Tuple", "set", "Set", "frozenset"}
_OBJECTS = {"dict", "Dict", "Mapping", "MutableMapping"}


def typed_dicts(module: ast.Module) -> dict[str, ast.ClassDef]:
    """Return the typed dicts that a module defines, also those that extend another."""
    found: dict[str, ast.ClassDef] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef) and any(
            _name(base) == "TypedDict" or _name(base) in found for base in node.bases
        ):
            found[node.name] = node
    return found


class Annotations:
    """Reads annotations, knowing the typed dicts and aliases of the module."""

    def __init__(self, module: ast.Module) -> None:
        """Learn the names that a module defines."""
        self._typed_dicts = typed_dicts(module)
        self._aliases: dict[str, ast.expr] = {}
        for node in module.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._aliases[node.targets[0].id] = node.value
            elif (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.value is not None
                and _name(node.annotation) == "TypeAlias"
            ):
                self._aliases[node.target.id] = node.value
        self._open: set[str] = set()

    def schema(self, annotation: ast.expr | None) -> dict[str, Any]:
        """Return the JSON schema of an annotation; `{}` for what has none."""
        match annotation:
            case None:
                return {}
            case ast.Constant(value=None):
                return {"type": "null"}
            case ast.Constant(value=str() as text):
                return self._quoted(text)
            case ast.BinOp(op=ast.BitOr()):
                return _union([self.schema(option) for option in _options(annotation)])
            case ast.Subscript():
                return self._subscript(annotation)
            case _:
                return self._named(_name(annotation))

    def _quoted(self, text: str) -> dict[str, Any]:
        try:
            return self.schema(parse_expression(text))
        except SyntaxError:
            return {}

    def _named(self, name: str) -> dict[str, Any]:
        if name in _SCALARS:
            return _SCALARS[name]
        if name in _ARRAYS:
            return {"type": "array"}
        if name in _OBJECTS:
            return {"type": "object"}
        # A type that contains itself has no schema without references.
        if name in self._open:
            return {}
        self._open.add(name)
        try:
            if name in self._typed_dicts:
                return self._typed_dict(self._typed_dicts[name])
            if name in self._aliases:
                return self.schema(self._aliases[name])
        finally:
            self._open.discard(name)
        return {}

    def _subscript(self, node: ast.Subscript) -> dict[str, Any]:
        name = _name(node.value)
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            return _enumeration(inner)
        if name == "Optional":
            return _union([self.schema(inner[0]), {"type": "null"}])
        if name == "Union":
            return _union([self.schema(option) for option in inner])
        if name in ("Annotated", "Required", "NotRequired", "Final"):
            return self.schema(inner[0])
        if name in _ARRAYS:
            items = self.schema(inner[0])
            return {"type": "array", "items": items} if items else {"type": "array"}
        if name in _OBJECTS:
            values = self.schema(inner[1]) if len(inner) == 2 else {}
            return {"type": "object", "additionalProperties": values or True}
        return self._named(name)

    def _typed_dict(self, node: ast.ClassDef) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        required: list[str] = []
        for base in node.bases:
            parent = self._typed_dicts.get(_name(base))
            if parent is not None:
                inherited = self._typed_dict(parent)
                fields.update(inherited["properties"])
                required.extend(inherited.get("required", ()))
        total = not any(
            keyword.arg == "total" and getattr(keyword.value, "value", True) is False
            for keyword in node.keywords
        )
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                wrapper = (
                    _name(field.annotation.value)
                    if isinstance(field.annotation, ast.Subscript)
                    else ""
                )
                fields[field.target.id] = self.schema(field.annotation)
                if wrapper == "Required" or (total and wrapper != "NotRequired"):
                    required.append(field.target.id)
        return closed_object(fields, required)


def closed_object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return the schema of a closed object; JSON Schema draft 4 takes no empty `required`."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _name(node: ast.expr) -> str:
    """The last part of a dotted name, or an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return ""


def _options(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_options(node.left), *_options(node.right)]
    return [node]


def _enumeration(values: list[ast.expr]) -> dict[str, Any]:
    constants = [value.value for value in values if isinstance(value, ast.Constant)]
    if constants and all(isinstance(value, str) for value in constants):
        return {"type": "string", "enum": constants}
    return {"enum": constants}


def _union(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Join schemas; anything joined with 'anything' is anything."""
    if not all(options):
        return {}
    distinct: list[dict[str, Any]] = []
    for option in options:
        if option not in distinct:
            distinct.append(option)
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
