"""Packs as a data set that `datasets` loads, with a card."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.dataset_card import dataset_card
from envscaler_eval.exports.tables import Format, write_table
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
        for split in SPLITS:
            chosen = [pack for pack in packs if pack.info.split == split]
            if chosen:
                _write_split(folder, split, chosen, form)
        (folder / "README.md").write_text(dataset_card(packs, form, out.name), encoding="utf-8")
    return out


def _write_split(folder: Path, split: Split, packs: Sequence[Pack], form: Format) -> None:
    environments: list[Row] = [environment_row(pack) for pack in packs]
    scenarios: list[Row] = [row for pack in packs for row in scenario_rows(pack)]
    write_table(folder / "environments", split, environments, ENVIRONMENT_COLUMNS, form)
    write_table(folder / "scenarios", split, scenarios, SCENARIO_COLUMNS, form)
