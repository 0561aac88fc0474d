"""What a run tells whoever watches it."""

from typing import Any, Literal, Protocol

Finding = Literal["tested", "auditing", "assessed", "repaired", "faulted", "mended"]
"""What is found on the way through a stage: `tested` is a tool with its tests, `auditing` the
beginning of what takes a while, `assessed` a version of a program, `repaired` what its coder made
of that; `faulted` is a scenario that is not solved or not proven, `mended` what its author did."""


class Watcher(Protocol):
    """Hears of everything that happens in a run, in the order of happening."""

    def entered(self, stage: str) -> None:
        """An item has come to a stage."""
        ...

    def left(self, stage: str, record: dict[str, Any]) -> None:
        """An item has left a stage: `status` is `kept`, `dropped` or `unfinished`."""
        ...

    def answered(self, record: dict[str, Any], *, fresh: bool) -> None:
        """A model has answered, just now (`fresh`) or in an earlier run."""
        ...

    def asked_again(self, record: dict[str, Any]) -> None:
        """An answer could not be used, for a `reason`."""
        ...

    def found(self, finding: Finding, item: str, record: dict[str, Any]) -> None:
        """Something was found of an item that has not left its stage yet."""
        ...


class NobodyWatches:
    """A watcher that does nothing."""

    def entered(self, stage: str) -> None:
        """Do nothing."""

    def left(self, stage: str, record: dict[str, Any]) -> None:
        """Do nothing."""

    def answered(self, record: dict[str, Any], *, fresh: bool) -> None:
        """Do nothing."""

    def asked_again(self, record: dict[str, Any]) -> None:
        """Do nothing."""

    def found(self, finding: Finding, item: str, record: dict[str, Any]) -> None:
        """Do nothing."""
