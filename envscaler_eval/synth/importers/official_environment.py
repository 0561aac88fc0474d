"""EnvScaler's environments as packs without scenarios.

The program is the one source of truth. The state space in the release is damaged
("ask_id" for "task_id") and its tool schemas are poorer than the signatures, so
neither is used.
"""

import ast
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from envscaler_eval.environment import Environment
from envscaler_eval.model_fault import first_fault
from envscaler_eval.pack import Pack, PackInfo
from envscaler_eval.parsing import parse
from envscaler_eval.synth.importers.official_record import OfficialRecord
from envscaler_eval.synth.importers.report import ItemFault

_FIELD = {
    "": "env_class_code",
    "id": "env_id",
    "class_name": "env_class_name",
    "source": "env_class_code",
    "rules": "constraints_rules",
    "introduction": "environment_introduction",
}
"""Our names of fields in those of the release, for messages."""

_NOT_IN_JSON = {"set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple"}


def environment_pack(
    record: OfficialRecord, folder: Path, split: Literal["train", "test"], source: str
) -> Pack:
    """Return an environment as a pack without scenarios.

    Args:
        record: The released record.
        folder: Where the pack will be.
        split: Whether models may be trained on it.
        source: Where the record comes from.

    Raises:
        ItemFault: The record is not as it must be.
    """
    env = record.text("env_id")
    program = record.text("env_class_code")
    class_name = record.text("env_class_name")
    told: dict[str, Any] = {
        "id": env,
        "title": record.optional_text("environment_summary") or class_name,
        "introduction": record.text("environment_introduction"),
        "rules": [rule for rule in record.listing("constraints_rules") if rule != ""],
        "class_name": class_name,
    }
    try:
        info = PackInfo(
            **told,
            domain="unclassified",
            split=split,
            licence="MIT",
            canary=f"envscaler-eval:{env}:{uuid.uuid5(uuid.NAMESPACE_URL, program)}",
            provenance=(f"{env} of {source}",),
        )
        environment = Environment(**told, source=program)
    except ValidationError as error:
        raise renamed(record, error, _FIELD) from None
    return Pack(folder, info, environment, ())


def renamed(record: OfficialRecord, error: ValidationError, fields: Mapping[str, str]) -> ItemFault:
    """Return a complaint about our fields as one about the record's.

    Args:
        record: The record.
        error: The complaint.
        fields: The record's names of our fields; under "" that of the whole.
    """
    told = first_fault(error)
    place = error.errors(include_url=False)[0]["loc"]
    if not place:
        # A fault of the whole is one of the text that all of it is read from.
        return record.fault(fields.get("", ""), told)
    name, _, told = told.partition(": ")
    word, space, rest = name.partition(" ")
    return record.fault(f"{fields.get(word, word)}{space}{rest}", told)


def environment_notes(record: OfficialRecord, pack: Pack) -> Iterator[str]:
    """Tell in what an environment differs from its record, or looks damaged."""
    for number, rule in enumerate(pack.info.rules, start=1):
        if not rule[:1].isupper():
            yield (
                f"{record.place}: constraints_rules {number} ('{rule[:40]}') looks like a "
                "fragment; it is told as released"
            )
    try:
        listed = _tool_names(record.listing("tools"))
    except ItemFault as fault:
        yield f"{fault}; tools are read from env_class_code instead"
        return
    offered = [tool.name for tool in pack.environment.tools]
    for names, told in (
        ([name for name in listed if name not in offered], "is no public method and not offered"),
        ([name for name in offered if listed and name not in listed], "is offered and not listed"),
    ):
        for name in names:
            yield f"{record.place}: tools: {name} {told}"


def _tool_names(tools: list[Any]) -> list[str]:
    functions = [tool.get("function", tool) for tool in tools if isinstance(tool, dict)]
    return [str(function.get("name")) for function in functions if isinstance(function, dict)]


def lost_types(pack: Pack, state: Mapping[str, Any]) -> Iterator[str]:
    """Tell which attributes a program declares with types that JSON cannot give them."""
    for name, annotation in _declared(pack):
        value = state.get(name)
        container = ast.unparse(annotation).partition("[")[0].rpartition(".")[2]
        if isinstance(value, dict) and value and _has_numeric_keys(annotation):
            yield f"{name} is declared {ast.unparse(annotation)}, but keys from JSON are texts"
        elif isinstance(value, list) and container in _NOT_IN_JSON:
            yield f"{name} is declared {ast.unparse(annotation)}, but JSON gives a list"


def _has_numeric_keys(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Name(id="int" | "float"), _])):
            return True
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Subscript(value=ast.Name(id=name)), _])):
            return name in _NOT_IN_JSON
    return False


def _declared(pack: Pack) -> Iterator[tuple[str, ast.expr]]:
    """Find the annotated attributes of the environment's class."""
    for node in parse(pack.environment.source).body:
        if isinstance(node, ast.ClassDef) and node.name == pack.info.class_name:
            for inner in ast.walk(node):
                match inner:
                    case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                        yield name, inner.annotation
