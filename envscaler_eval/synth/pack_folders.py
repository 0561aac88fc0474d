"""Where a run's packs are written."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from envscaler_eval.pack import Pack
from envscaler_eval.pack_writing import write_pack


def write_packs(packs: Sequence[Pack], folder: Path) -> list[Path]:
    """Write packs over those of an earlier run.

    Args:
        packs: The packs.
        folder: Where their folders go.

    Returns:
        Their folders.
    """
    written = []
    for pack in packs:
        shutil.rmtree(folder / pack.info.id, ignore_errors=True)
        written.append(write_pack(pack, folder))
    return written
