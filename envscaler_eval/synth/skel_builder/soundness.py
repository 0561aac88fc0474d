"""What can be said against a program before it runs."""

import ast
import builtins
import symtable
from collections.abc import Iterator

from envscaler_eval.parsing import parse
from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.skel_builder.assembly import (
    method_names,
    method_source,
    require_admissible,
    require_described,
)
from envscaler_eval.synth.skel_builder.plan import StatePlan
from envscaler_eval.tool_schema import attribute_schemas


def require_class(source: str, state: StatePlan) -> None:
    """Refuse a class that does not hold what was planned.

    Args:
        source: The program.
        state: What was planned.

    Raises:
        AnswerFault: Tells what is wrong.
    """
    names = method_names(source, state.class_name)
    if "__init__" not in names:
        raise AnswerFault("the class has no `__init__`; set the attributes there")
    require_admissible(source)
    schemas = attribute_schemas(source, state.class_name)
    wanted = [*state.containers, *(value.name for value in state.values)]
    if missing := [name for name in wanted if name not in schemas]:
        raise AnswerFault(f"`__init__` does not set `self.{missing[0]}`")
    if extra := [name for name in schemas if name not in wanted]:
        raise AnswerFault(f"`__init__` sets `self.{extra[0]}`, which was not planned; leave it out")
    for name in wanted:
        if not schemas[name]:
            raise AnswerFault(f"annotate `self.{name}` in `__init__` with the type that it has")
    for entity in state.entities:
        record = schemas[entity.container].get("additionalProperties")
        fields = record.get("properties", {}) if isinstance(record, dict) else {}
        planned = {attribute.name for attribute in entity.attributes}
        if set(fields) != planned:
            raise AnswerFault(
                f"annotate `self.{entity.container}` as dict[str, {entity.name}], where "
                f"{entity.name} is a TypedDict of exactly {', '.join(sorted(planned))}"
                + (f"; it has {', '.join(sorted(fields))}" if fields else "")
            )


def require_method(source: str, state: StatePlan, tools: list[str], name: str) -> None:
    """Refuse a method that cannot work, or that an agent could not use.

    Args:
        source: The program, with the method in it.
        state: What was planned.
        tools: The names of all tools, also of those that are not written yet.
        name: The method.

    Raises:
        AnswerFault: Tells what is wrong.
    """
    require_admissible(source)
    text = method_source(source, state.class_name, name)
    _require_known_attributes(text, source, state, tools)
    if unknown := sorted(_globals(text) - _defined(source) - set(dir(builtins))):
        raise AnswerFault(
            f"`{name}` uses '{unknown[0]}', which the module neither defines nor imports; "
            "name the import under `imports`"
        )
    if not name.startswith("_"):
        require_described(source, state.class_name, [name])


def _require_known_attributes(text: str, source: str, state: StatePlan, tools: list[str]) -> None:
    attributes = [*state.containers, *(value.name for value in state.values)]
    known = {*attributes, *tools, *method_names(source, state.class_name)}
    for node in ast.walk(parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name not in known:
                raise AnswerFault(
                    f"it uses `self.{name}`, which the class lacks; the attributes are "
                    f"{', '.join(attributes)}"
                )


def _globals(text: str) -> set[str]:
    """Return the names that a method looks for outside of itself."""
    (method,) = symtable.symtable(text, "<method>", "exec").get_children()
    return {name for table in _tables(method) for name in _sought(table)}


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _tables(inner)


def _sought(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_global() and symbol.is_referenced():
            yield symbol.get_name()


def _defined(source: str) -> set[str]:
    """Return the names that a module defines or imports at its top."""
    names: set[str] = set()
    for node in parse(source).body:
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return names
