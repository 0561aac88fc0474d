"""Packs as a data set that `datasets` loads, with a card."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.dataset_card import dataset_card
from envscaler_eval.exports.tables import Columns, Format, Table, write_table
from envscaler_eval.exports.whole_folder import whole_folder
from envscaler_eval.pack import Pack
from envscaler_eval.pack_rows import (
    ENVIRONMENT_COLUMNS,
    SCENARIO_COLUMNS,
    Row,
    environment_row,
    scenario_rows,
)

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = ("train", "test")


def export_hub(packs: Sequence[Pack], out: Path, form: Format = "parquet") -> Path:
    """Write packs as a data set with the tables `scenarios` and `environments`.

    The folder appears complete or not at all.

    Args:
        packs: The packs; no two of one id.
        out: The folder, which must not be there yet.
        form: The form of the tables.

    Returns:
        The folder.

    Raises:
        UsageError: The folder is there, or two packs have one id.
    """
    ids = [pack.info.id for pack in packs]
    for env in ids:
        if ids.count(env) > 1:
            raise UsageError(f"{env}: two packs have this id; export one of them")
    with whole_folder(out) as folder:
        tables = {
            "scenarios": _written(
                packs, scenario_rows, folder / "scenarios", SCENARIO_COLUMNS, form
            ),
            "environments": _written(
                packs,
                lambda pack: [environment_row(pack)],
                folder / "environments",
                ENVIRONMENT_COLUMNS,
                form,
            ),
        }
        (folder / "README.md").write_text(dataset_card(packs, tables, out.name), encoding="utf-8")
    return out


def _written(
    packs: Sequence[Pack],
    rows: Callable[[Pack], Iterable[Row]],
    folder: Path,
    columns: Columns,
    form: Format,
) -> Table:
    """Write a table, each split that has packs, and describe it."""
    files: dict[str, str] = {
        split: write_table(folder, split, chain.from_iterable(map(rows, chosen)), columns, form)
        for split in SPLITS
        if (chosen := [pack for pack in packs if pack.info.split == split])
    }
    return Table(columns, files)
