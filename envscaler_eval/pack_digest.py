"""What tells whether a pack must be read again."""

import hashlib
from pathlib import Path

_FILES = ("pack.yaml", "environment.py", "scenarios.yaml", "rejections.yaml")


def files_digest(folder: Path) -> bytes:
    """Return what changes with any of the files that a pack is read from."""
    digest = hashlib.sha256()
    for file in (*map(folder.joinpath, _FILES), *sorted(folder.glob("states/*.json"))):
        try:
            content = file.read_bytes()
        except OSError:
            # Missing, as some may be; or the reading tells the person.
            continue
        digest.update(f"{file.name}\0{len(content)}\0".encode() + content)
    return digest.digest()
