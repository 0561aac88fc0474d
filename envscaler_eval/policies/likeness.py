"""Which names mean much the same: `order_id`, `orders` and `new_order`."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

_VAGUE = {"id", "ids", "new", "old", "from", "to", "by", "the", "of", "key", "list", "query"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

T = TypeVar("T")


@lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """Return the telling words of a name, in the singular."""
    found = {word.lower().removesuffix("s") for word in _WORD.findall(name)}
    return frozenset(found - _VAGUE or found)


def most_alike(name: str, candidates: Iterable[tuple[frozenset[str], T]]) -> list[T]:
    """Return the values whose words have most in common with a name, if anything.

    Args:
        name: The name.
        candidates: Values, each with its words.
    """
    wanted = words(name)
    best: list[T] = []
    score = 1
    for its_words, value in candidates:
        common = len(wanted & its_words)
        if common > score:
            best, score = [value], common
        elif common == score:
            best.append(value)
    return best
