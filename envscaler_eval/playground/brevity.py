"""What a page shows of values that would be too long for it."""

import json
from typing import Any

_LONGEST = 5000


def as_json(value: Any) -> str:
    """Return a value as JSON for people to read."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "… (too deep to be shown)"


def brief(text: str, longest: int = _LONGEST) -> str:
    """Return a text, or its beginning and how long it is.

    Args:
        text: The text.
        longest: How many characters are shown.
    """
    if len(text) <= longest:
        return text
    return f"{text[:longest]} … ({len(text):,} characters, of which these are the first)"
