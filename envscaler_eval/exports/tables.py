"""Tables on disk in the forms that `datasets` loads."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from envscaler_eval import core_yaml
from envscaler_eval.pack_rows import ColumnType

Format = Literal["parquet", "jsonl"]
Columns = Mapping[str, ColumnType | Literal["number", "integer", "messages"]]

_GROUP = 500

# What `datasets` calls the types. Arguments of calls are of no fixed type, which a
# struct cannot hold: they are JSON in the file and objects once loaded.
_CALL: list[dict[str, Any]] = [
    {"name": "id", "dtype": "string"},
    {"name": "type", "dtype": "string"},
    {
        "name": "function",
        "struct": [{"name": "name", "dtype": "string"}, {"name": "arguments", "dtype": "json"}],
    },
]
_MESSAGE: list[dict[str, Any]] = [
    {"name": "role", "dtype": "string"},
    {"name": "content", "dtype": "string"},
    {"name": "reasoning_content", "dtype": "string"},
    {"name": "tool_calls", "list": _CALL},
    {"name": "tool_call_id", "dtype": "string"},
    {"name": "name", "dtype": "string"},
]
_FEATURE: dict[str, dict[str, Any]] = {
    "text": {"dtype": "string"},
    "json": {"dtype": "string"},
    "flag": {"dtype": "bool"},
    "number": {"dtype": "float64"},
    "integer": {"dtype": "int64"},
    "texts": {"list": "string"},
    "messages": {"list": _MESSAGE},
}


@dataclass(frozen=True)
class Table:
    """A table of a data set.

    Attributes:
        columns: Its columns and their types.
        files: The file of each split, relative to the data set.
    """

    columns: Columns
    files: Mapping[str, str]


def card_header(tables: Mapping[str, Table]) -> str:
    """Return the part of a card's header from which `datasets` knows files and types.

    Args:
        tables: The tables by name; the first is the one loaded by default.
    """
    return core_yaml.dump(
        {
            "configs": [
                {
                    "config_name": name,
                    **({"default": True} if position == 0 else {}),
                    "data_files": [
                        {"split": split, "path": path} for split, path in table.files.items()
                    ],
                }
                for position, (name, table) in enumerate(tables.items())
            ],
            "dataset_info": [
                {
                    "config_name": name,
                    "features": [
                        {"name": column, **_FEATURE[kind]} for column, kind in table.columns.items()
                    ],
                }
                for name, table in tables.items()
            ],
        }
    )


def write_table(
    folder: Path, split: str, rows: Iterable[Mapping[str, Any]], columns: Columns, form: Format
) -> str:
    """Write one split of a table.

    The file's name ends with a hash of what it holds: `datasets` keeps what it has
    loaded from a folder, and loads it again only when the card names other files.

    Args:
        folder: The table's folder, made where it is missing.
        split: The split.
        rows: The rows; none is held longer than it takes to write a group of them.
        columns: The columns and their types.
        form: The form of the file.

    Returns:
        The file, relative to the folder above the table's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{split}.{form}"
    if form == "jsonl":
        write_lines(draft, rows)
    else:
        _write_parquet(draft, rows, columns)
    with draft.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    file = draft.rename(folder / f"{split}-{digest[:12]}.{form}")
    return f"{folder.name}/{file.name}"


def write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as lines of JSON."""
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)


def _write_parquet(file: Path, rows: Iterable[Mapping[str, Any]], columns: Columns) -> None:
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    text = pyarrow.string()
    function = pyarrow.struct([("name", text), ("arguments", text)])
    calls = pyarrow.list_(pyarrow.struct([("id", text), ("type", text), ("function", function)]))
    types = {
        "text": text,
        "json": text,
        "flag": pyarrow.bool_(),
        "number": pyarrow.float64(),
        "integer": pyarrow.int64(),
        "texts": pyarrow.list_(text),
        "messages": pyarrow.list_(
            pyarrow.struct([(part["name"], calls if "list" in part else text) for part in _MESSAGE])
        ),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    conversations = [name for name, kind in columns.items() if kind == "messages"]
    left = iter(rows)
    with ParquetWriter(file, schema) as writer:
        while group := list(islice(left, _GROUP)):
            encoded = [
                {**row, **{name: list(map(_with_text, row[name])) for name in conversations}}
                for row in group
            ]
            writer.write_table(pyarrow.Table.from_pylist(encoded, schema=schema))


def _with_text(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message whose calls have their arguments as JSON."""
    if "tool_calls" not in message:
        return dict(message)
    return {
        **message,
        "tool_calls": [
            {
                **call,
                "function": {
                    **call["function"],
                    "arguments": json.dumps(call["function"]["arguments"], ensure_ascii=False),
                },
            }
            for call in message["tool_calls"]
        ],
    }
