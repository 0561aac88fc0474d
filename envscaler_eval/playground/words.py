"""How calls and observations are told to people."""

import json
from collections.abc import Sequence

from envscaler_eval.playground.tree import Node, tree

STATUS_WORDS = {
    "ok": "done",
    "failed": "refused",
    "raised": "broke down",
    "invalid": "wrong arguments",
    "unknown": "no such tool",
}


def observed(text: str) -> Sequence[Node] | None:
    """Return an observation as a tree, or `None` where it is just text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return tree(content) if isinstance(content, dict | list) and content else None
