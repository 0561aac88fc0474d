"""Packs as rows of two tables: the form in which they are shared.

Columns keep one type whatever a pack holds, so that tables of different packs
fit together: what is nested is JSON text.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from envscaler_eval.environment import Environment
from envscaler_eval.errors import UsageError
from envscaler_eval.model_fault import first_fault
from envscaler_eval.pack import Pack, PackInfo
from envscaler_eval.scenario import Frozen, Rejection, Scenario

Row = dict[str, Any]
ColumnType = Literal["text", "texts", "flag", "json"]

ENVIRONMENT_COLUMNS: dict[str, ColumnType] = {
    "env": "text",
    "title": "text",
    "domain": "text",
    "split": "text",
    "introduction": "text",
    "rules": "texts",
    "class_name": "text",
    "source": "text",
    "tools": "json",
    "scratch": "flag",
    "rejections": "json",
    "licence": "text",
    "canary": "text",
    "provenance": "texts",
    "quality": "json",
    "pack_hash": "text",
}
"""The columns of environments; `tools` is read from `source`, for readers of the table."""

SCENARIO_COLUMNS: dict[str, ColumnType] = {
    "env": "text",
    "scenario": "text",
    "split": "text",
    "task": "text",
    "now": "json",
    "state": "json",
    "checks": "json",
    "solution": "json",
    "alternatives": "json",
    "may_change": "texts",
    "user": "json",
    "tags": "texts",
    "collateral": "flag",
}
"""The columns of scenarios; `now` is JSON since loaders take a bare date for a timestamp."""

_INFO = ("title", "domain", "split", "introduction", "rules", "class_name", "scratch")
_INFO_MORE = ("licence", "canary", "provenance", "quality")
_TOLD = ("title", "introduction", "rules", "class_name", "source", "scratch")
_SCENARIO = ("task", "now", "state", "checks", "solution", "alternatives", "may_change", "user")
_SCENARIO_MORE = ("tags", "collateral")

Model = TypeVar("Model", bound=Frozen)


def environment_row(pack: Pack) -> Row:
    """Return a pack's row in the table of environments."""
    info = pack.info.model_dump(mode="json")
    return _as_columns(
        {
            **info,
            "env": pack.info.id,
            "source": pack.environment.source,
            "tools": [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                }
                for tool in pack.environment.tools
            ],
            "rejections": [rejection.model_dump(mode="json") for rejection in pack.rejections],
            "pack_hash": pack.hash,
        },
        ENVIRONMENT_COLUMNS,
    )


def scenario_rows(pack: Pack) -> list[Row]:
    """Return a pack's rows in the table of scenarios, in the pack's order."""
    return [
        _as_columns(
            {
                **scenario.model_dump(mode="json"),
                "scenario": scenario.id,
                "split": pack.info.split,
            },
            SCENARIO_COLUMNS,
        )
        for scenario in pack.scenarios
    ]


def pack_of_rows(environment: Mapping[str, Any], scenarios: Iterable[Mapping[str, Any]]) -> Pack:
    """Return the pack of its rows.

    Args:
        environment: Its row in the table of environments.
        scenarios: Its rows in the table of scenarios.

    Raises:
        UsageError: A row is not as it must be, or the pack is not the one that
            was written; names the item and the field.
    """
    name = f"environment '{environment.get('env')}'"
    row = _as_values(name, environment, ENVIRONMENT_COLUMNS)
    env = {"id": row["env"]}
    info = _built(name, PackInfo, env | {key: row[key] for key in _INFO + _INFO_MORE})
    program = _built(name, Environment, env | {key: row[key] for key in _TOLD})
    pack = Pack(
        Path(info.id),
        info,
        program,
        tuple(_scenario(name, entry) for entry in scenarios),
        tuple(_built(f"{name}: rejections", Rejection, entry) for entry in row["rejections"]),
    )
    if pack.hash != row["pack_hash"]:
        raise UsageError(
            f"{name}: its rows have the hash {pack.hash[:12]}, but pack_hash is "
            f"{row['pack_hash'][:12]}; rows are missing or were changed, fetch the data again"
        )
    return pack


def _scenario(name: str, entry: Mapping[str, Any]) -> Scenario:
    name = f"{name}: scenario '{entry.get('scenario')}'"
    row = _as_values(name, entry, SCENARIO_COLUMNS)
    content = {key: row[key] for key in _SCENARIO + _SCENARIO_MORE}
    return _built(name, Scenario, {"id": row["scenario"], "env": row["env"], **content})


def _as_columns(values: Mapping[str, Any], columns: Mapping[str, ColumnType]) -> Row:
    return {
        name: json.dumps(values[name], ensure_ascii=False) if kind == "json" else values[name]
        for name, kind in columns.items()
    }


def _as_values(name: str, row: Mapping[str, Any], columns: Mapping[str, ColumnType]) -> Row:
    values: Row = {}
    for column, kind in columns.items():
        if row.get(column) is None:
            raise UsageError(f"{name}: {column} is missing; export the packs again")
        values[column] = row[column]
        if kind == "json":
            try:
                values[column] = json.loads(row[column])
            except (TypeError, ValueError) as fault:
                raise UsageError(f"{name}: {column} is no JSON text: {fault}") from None
    return values


def _built(name: str, model: type[Model], content: Mapping[str, Any]) -> Model:
    try:
        return model(**content)
    except ValidationError as error:
        raise UsageError(f"{name}: {first_fault(error)}") from None
