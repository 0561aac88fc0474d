"""Tables on disk in the forms that `datasets` loads."""

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from envscaler_eval.pack_rows import ColumnType

Format = Literal["parquet", "jsonl"]

_DTYPE: dict[ColumnType, dict[str, str]] = {
    "text": {"dtype": "string"},
    "json": {"dtype": "string"},
    "flag": {"dtype": "bool"},
    "number": {"dtype": "float64"},
    "texts": {"list": "string"},
}

_GROUP = 500


def feature_list(columns: Mapping[str, ColumnType]) -> list[dict[str, str]]:
    """Return the types of columns as a data set's card declares them."""
    return [{"name": name, **_DTYPE[kind]} for name, kind in columns.items()]


def write_table(
    folder: Path,
    split: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Mapping[str, ColumnType],
    form: Format,
) -> Path:
    """Write one split of a table and return the file.

    Args:
        folder: The table's folder, made where it is missing.
        split: The split.
        rows: The rows, each with all columns.
        columns: The columns and their types.
        form: The form of the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{split}.{form}"
    if form == "jsonl":
        with file.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)
    else:
        _write_parquet(file, rows, columns)
    return file


def _write_parquet(
    file: Path, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, ColumnType]
) -> None:
    """Write rows as they come, so that no more than a group of them is held."""
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow.parquet import ParquetWriter  # type: ignore[import-untyped]

    types = {
        "text": pyarrow.string(),
        "json": pyarrow.string(),
        "flag": pyarrow.bool_(),
        "number": pyarrow.float64(),
        "texts": pyarrow.list_(pyarrow.string()),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    left = iter(rows)
    with ParquetWriter(file, schema) as writer:
        while group := list(islice(left, _GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
