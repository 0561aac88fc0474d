"""Keeping environments to test on out of what is trained on."""

from collections.abc import Iterable

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import find_packs, read_info


def refuse_test_environments(environments: Iterable[tuple[str, str]]) -> None:
    """Refuse what would train on environments that are there to test.

    Those of the library are known by their ids, whatever a log says of them.

    Args:
        environments: Ids, each with the split that its log or pack states.

    Raises:
        UsageError: Some are to test on; names them.
    """
    infos = (read_info(folder) for folder in find_packs())
    tests = {info.id for info in infos if info.split == "test"}
    found = sorted({env for env, split in environments if split == "test" or env in tests})
    if found:
        raise UsageError(
            f"{', '.join(found)}: to test on, and never to train on; leave "
            f"{'it' if len(found) == 1 else 'them'} out, as with --envs"
        )
