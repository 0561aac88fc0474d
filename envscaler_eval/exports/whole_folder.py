"""Folders that appear complete or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envscaler_eval.errors import UsageError


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Give a folder to write in, which takes its place when all has gone well.

    Args:
        out: The place, where nothing may be yet.

    Raises:
        UsageError: Something is there, or the place cannot be written to.
    """
    try:
        if out.exists():
            raise UsageError(f"{out}: is there already; remove it or write to another folder")
        out.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as fault:
        raise UsageError(
            f"{out}: cannot be written: {fault.strerror}; write to another folder"
        ) from None
    try:
        draft = staging / out.name
        draft.mkdir()
        yield draft
        draft.rename(out)
    finally:
        shutil.rmtree(staging)
