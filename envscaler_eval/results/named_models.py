"""Models by the names that people give."""

import re
from typing import Any

from inspect_ai.model import Model, get_model

from envscaler_eval.errors import UsageError

_MARKUP = re.compile(r"\[/?[a-z ]+\]")


def named_model(name: str, **settings: Any) -> Model:
    """Return a model by its name in Inspect.

    Args:
        name: A name such as `openai/gpt-4.1`.
        settings: What `get_model` takes besides: `base_url`, `config` and arguments of
            the provider.

    Raises:
        UsageError: It cannot be had: the provider is unknown, or a key is missing.
    """
    try:
        return get_model(name, **settings)
    except Exception as fault:
        # Providers raise what they like: for a missing key or package, for an argument.
        raise UsageError(f"model '{name}': {told_in_a_line(fault)}") from None


def told_in_a_line(fault: Exception) -> str:
    """Return what a fault of Inspect says, without its markup."""
    return " ".join(_MARKUP.sub("", str(fault)).split()).removeprefix("ERROR: ")
