"""BFCL's entries as an Inspect dataset."""

from collections.abc import Iterator, Sequence

from inspect_ai.dataset import MemoryDataset, Sample

from envscaler_eval.benchmarks.bfcl import CATEGORIES, Dataset, Entry
from envscaler_eval.benchmarks.bfcl.faults import UNFAIR, faults
from envscaler_eval.errors import UsageError
from envscaler_eval.tasks.dataset import one_of


def entry_dataset(
    dataset: Dataset, categories: Sequence[str], limit: int | None, skip_faulty: bool
) -> MemoryDataset:
    """Return a sample for each entry.

    Args:
        dataset: The snapshot.
        categories: Keep entries of these; of all if there are none.
        limit: Keep at most so many of each category, the first ones.
        skip_faulty: Leave out entries whose known faults make honest work fail.

    Raises:
        UsageError: There is no such category, or no entry is left.
    """
    chosen = [one_of("categories", name, CATEGORIES) for name in categories or CATEGORIES]
    samples = [
        entry_to_sample(dataset, entry)
        for category in CATEGORIES
        if category in chosen
        for entry in _first(dataset, category, limit, skip_faulty)
    ]
    if not samples:
        raise UsageError(f"no entry is left with limit={limit}; use 1 or more")
    return MemoryDataset(samples, name=f"bfcl_multi_turn_{dataset.snapshot}")


def entry_to_sample(dataset: Dataset, entry: Entry) -> Sample:
    """Return an entry as a sample; what is expected stays in the data."""
    return Sample(
        id=entry.id,
        input="\n".join(entry.turns[0]),
        metadata={
            "category": entry.category,
            "number": entry.id.rpartition("_")[2],
            "snapshot": dataset.snapshot,
            "turns": len(entry.turns),
            "classes": list(entry.classes),
            "faults": list(faults(dataset.snapshot, entry)),
        },
    )


def _first(
    dataset: Dataset, category: str, limit: int | None, skip_faulty: bool
) -> Iterator[Entry]:
    kept = 0
    for entry in dataset.entries.values():
        if entry.category != category or kept == limit:
            continue
        if not (skip_faulty and UNFAIR.intersection(faults(dataset.snapshot, entry))):
            kept += 1
            yield entry
