"""Which changes a scenario grants."""

from collections.abc import Collection, Iterable

from envscaler_eval.state import Change


class Allowance:
    """The changes that a scenario grants, everything else being collateral.

    What the reference solution changes is granted leaf by leaf; what it creates
    is granted by number and place, since ids are generated. Declared patterns
    are granted in addition and without limit.
    """

    def __init__(self, reference: Iterable[Change], patterns: Collection[str]) -> None:
        """Grant the changes of the reference solution and the declared patterns.

        Args:
            reference: What the reference solution changes.
            patterns: JSON pointers in which `*` is any key and a final `+` any
                new record. A pattern grants everything below it.
        """
        self._leaves: set[tuple[str, ...]] = set()
        self._creations: dict[tuple[str, ...], int] = {}
        for change in reference:
            if change.kind == "created":
                parent = change.path[:-1]
                self._creations[parent] = self._creations.get(parent, 0) + 1
            else:
                self._leaves.add(change.path)
        self._patterns = [_parse_pattern(pattern) for pattern in patterns]

    def collateral(self, observed: Iterable[Change]) -> list[Change]:
        """Return the changes that are not granted."""
        created: dict[tuple[str, ...], int] = {}
        outside = []
        for change in observed:
            if self._matches_pattern(change):
                continue
            if change.kind == "created":
                parent = change.path[:-1]
                created[parent] = created.get(parent, 0) + 1
                granted = created[parent] <= self._creations.get(parent, 0)
            else:
                granted = change.path in self._leaves
            if not granted:
                outside.append(change)
        return outside

    def _matches_pattern(self, change: Change) -> bool:
        return any(_pattern_matches(pattern, change) for pattern in self._patterns)


def _parse_pattern(pattern: str) -> tuple[str, ...]:
    return tuple(
        key.replace("~1", "/").replace("~0", "~") for key in pattern.removeprefix("/").split("/")
    )


def _pattern_matches(pattern: tuple[str, ...], change: Change) -> bool:
    if len(change.path) < len(pattern):
        return False
    for wanted, key in zip(pattern, change.path, strict=False):
        if wanted == "+":
            return change.kind == "created" and len(change.path) == len(pattern)
        if wanted not in ("*", key):
            return False
    return True
