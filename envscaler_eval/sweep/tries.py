"""Items that wait for a run, those that failed included, until their tries are used."""

from collections import deque
from collections.abc import Sequence

from envscaler_eval.sweep.work import Item, Report


class Tries:
    """What is still to be run."""

    def __init__(self, items: Sequence[Item], tries: int) -> None:
        """Line up items.

        Args:
            items: The items.
            tries: How often each is run at most.
        """
        self._waiting = deque(items)
        self._items = {item.key: item for item in items}
        self._left = {item.key: tries for item in items}

    def __bool__(self) -> bool:
        """Whether an item waits."""
        return bool(self._waiting)

    def take(self) -> Item:
        """Return the next item, whose run counts as a try."""
        item = self._waiting.popleft()
        self._left[item.key] -= 1
        return item

    def settle(self, report: Report) -> None:
        """Take note of a run: what failed waits again, behind the others, if it has tries left."""
        if report.status == "failed" and not report.final and self._left[report.key] > 0:
            self._waiting.append(self._items[report.key])
