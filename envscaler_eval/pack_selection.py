"""Naming several packs at once, by the folder that holds them."""

from pathlib import Path

from envscaler_eval.pack import LIBRARY, find_packs, locate


def locate_all(env: str) -> list[Path]:
    """Return the pack given by id or path, or the packs in a folder of packs.

    Raises:
        PackError: There is no pack.
    """
    return packs_inside(env) or [locate(env)]


def packs_inside(folder: str) -> list[Path]:
    """Return the packs in a folder that is no pack itself; none otherwise."""
    if any((base / "pack.yaml").is_file() for base in (LIBRARY / folder, Path(folder))):
        return []
    return find_packs(Path(folder))
