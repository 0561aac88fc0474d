"""Training sets of the environments most and least similar to a test, as the paper compares."""

from pathlib import Path

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack
from envscaler_eval.results.manifest import Manifest, write_manifest
from envscaler_eval.results.similarity.comparison import Comparison


def write_subsets(
    comparison: Comparison, packs: list[Pack], size: int, folder: Path
) -> list[Manifest]:
    """Write the manifests `top-<size>.yaml` and `bottom-<size>.yaml`.

    Args:
        comparison: The packs' texts against those of the test.
        packs: The training packs.
        size: How many environments each set is to have; the sets are disjoint.
        folder: Where to write.

    Returns:
        The manifests, the most similar set first.

    Raises:
        UsageError: There are too few environments, or the folder cannot be written.
    """
    if not 1 <= 2 * size <= len(packs):
        raise UsageError(
            f"two sets of {size} environments cannot be had of {len(packs)}; "
            f"use sizes from 1 to {len(packs) // 2}"
        )
    by_id = {pack.info.id: pack for pack in packs}
    ranking = comparison.ranking()
    chosen = {f"top-{size:03}": ranking[:size], f"bottom-{size:03}": ranking[-size:]}
    return [
        write_manifest(
            folder / f"{name}.yaml",
            "similarity",
            [by_id[env] for env, _ in part],
            {
                "representation": comparison.representation,
                "test": [text.id for text in comparison.test],
                "similarity": {env: round(value, 4) for env, value in part},
            },
        )
        for name, part in chosen.items()
    ]
