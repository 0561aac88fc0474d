"""What was typed into a form, and the entries of its lists.

A form travels as a flat mapping from field names to texts. The name of a field is its
path, `lines/0/units`; `lines#` says how many entries the list `lines` shows.
"""

import re
from collections.abc import Mapping

from envscaler_eval.playground.form_fields import Field

Texts = Mapping[str, str]

JSON_NAME = "#json"
"""Where arguments stand that were written as JSON; no field's name begins with a `#`."""

_MOST_ENTRIES = 50
_MOST_DIGITS = 9


def number_of(text: str) -> int | None:
    """Return the whole number that a page has sent, or `None` for what no page would send."""
    plain = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if plain else None


def shown_entries(place: Field, name: str, texts: Texts) -> int:
    """Return how many entries a list or a mapping shows: what was asked for, or one where needed.

    Args:
        place: The list or mapping.
        name: Its name in the form.
        texts: What was typed.
    """
    told = number_of(texts.get(f"{name}#", ""))
    return int(place.required) if told is None else min(told, _MOST_ENTRIES)


def with_entry(texts: Texts, name: str, shown: int) -> dict[str, str]:
    """Return a form with one more entry in the list `name`, which shows so many."""
    return {**texts, f"{name}#": str(min(shown + 1, _MOST_ENTRIES))}


def without_entry(texts: Texts, name: str, place: int, shown: int) -> dict[str, str]:
    """Return a form without one of a list's entries; those after it move up.

    Args:
        texts: What was typed.
        name: The list.
        place: The entry, from 0.
        shown: How many entries there were.
    """
    inside = re.compile(re.escape(name) + rf"/([0-9]{{1,{_MOST_DIGITS}}})(.*)", re.DOTALL)
    kept: dict[str, str] = {}
    for key, text in texts.items():
        found = inside.fullmatch(key)
        if found is None:
            kept[key] = text
        elif int(found[1]) != place:
            number = int(found[1]) - (int(found[1]) > place)
            kept[f"{name}/{number}{found[2]}"] = text
    return {**kept, f"{name}#": str(max(shown - 1, 0))}
