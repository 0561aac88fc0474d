"""Rows through `datasets`, from the Hugging Face Hub or a folder."""

from collections.abc import Iterator
from typing import Any

from envscaler_eval.errors import UsageError


def load_rows(source: str, advice: str, **options: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a data set, over all splits in their order.

    Args:
        source: The data set, or a folder.
        advice: What to do when it cannot be loaded.
        options: What `datasets.load_dataset` is told.

    Raises:
        UsageError: It cannot be loaded.
    """
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    try:
        for split in load_dataset(source, **options).values():
            yield from split
    except (OSError, ValueError, DatasetsError) as fault:
        told = (str(fault).splitlines() or [type(fault).__name__])[0][:200]
        raise UsageError(f"{source}: cannot be loaded: {told}; {advice}") from None
