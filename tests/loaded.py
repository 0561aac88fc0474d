"""Data sets as `datasets` loads them, without leaving anything in the user's cache."""

from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset


def use_own_cache(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep what `datasets` caches in a folder."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", folder / "cache")


def tables(folder: Path, name: str | None = None) -> dict[str, Any]:
    """Load a table, by default the first, with its splits."""
    loaded: Any = load_dataset(str(folder), name)
    return dict(loaded)


def rows(folder: Path) -> list[dict[str, Any]]:
    """Load the training split of the first table as rows."""
    return list(tables(folder)["train"])
