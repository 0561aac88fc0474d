"""Audit cards kept by the content that they speak of."""

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

_PACKAGE = Path(__file__).parent.parent
_ENGINE = ("audit", "policies", "runtime")

Card = TypeVar("Card", bound=BaseModel)


@cache
def engine_hash() -> str:
    """Return a hash of the code that decides an audit, so that changing it empties the cache."""
    files = [*_PACKAGE.glob("*.py")]
    for folder in _ENGINE:
        files += (_PACKAGE / folder).rglob("*.py")
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def content_hash(*parts: str) -> str:
    """Return the SHA-256 of texts, in hex."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def content_key(*parts: str) -> str:
    """Return the key of what is audited, under the present engine."""
    return content_hash(engine_hash(), *parts)


def load(key: str, kind: type[Card]) -> Card | None:
    """Return the card kept under a key, or `None`."""
    try:
        return kind.model_validate_json(_file(key).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def save(key: str, card: BaseModel) -> None:
    """Keep a card; a reader never sees half of it."""
    file = _file(key)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(card.model_dump_json())
    draft.replace(file)


def _file(key: str) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "envscaler-eval" / "audit" / key[:2] / f"{key}.json"
