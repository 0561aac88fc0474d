"""What an environment's synthesis has made so far, in a store: a file for each record.

A worker may be lost at any moment. Each record is whole in the store before the next question
is asked, and who makes the environment next begins with all of them.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from envscaler_eval.sweep.store import Store
from envscaler_eval.synth.artefacts import Record

_BEGUN = "begun"
_PROMPTS = "missing"

Entry = tuple[str, str, Record]
"""A collection, a key, and the record that the collection has under it."""


class StoredRecords:
    """The records of one item of work, as its run needs them."""

    def __init__(self, store: Store, item: str) -> None:
        """Read what there is.

        Args:
            store: The store.
            item: The item's key.
        """
        self._store = store
        self._item = item
        self._records: dict[tuple[str, str], Record] = {}
        for name in store.names(f"{_BEGUN}/{item}", ".json"):
            _, collection, key = PurePosixPath(name).stem.split(".")
            # A damaged one is made anew.
            with suppress(ValueError):
                self._records.setdefault((collection, key), json.loads(store.read(name)))

    def __iter__(self) -> Iterator[Entry]:
        """Yield the records in the order of writing."""
        for (collection, key), record in self._records.items():
            yield collection, key, record

    def get(self, collection: str, key: str) -> Record | None:
        """Return a record, or `None` when it has not been made."""
        return self._records.get((collection, key))

    def put(self, collection: str, key: str, record: Record) -> None:
        """Write a record, unless it is there."""
        if (collection, key) in self._records:
            return
        number = len(self._records)
        name = f"{_BEGUN}/{self._item}/{number:06d}.{collection}.{key}.json"
        self._store.write(name, json.dumps(record).encode())
        self._records[collection, key] = record

    def keep_prompt(self, name: str, text: str) -> str:
        """Write a prompt that nobody has answered, and return its address."""
        place = f"{_PROMPTS}/{self._item}/{name}"
        self._store.write(place, text.encode(errors="surrogatepass"))
        return self._store.url(place)

    def forget_prompts(self) -> None:
        """Remove the prompts that nobody had answered before."""
        self._store.remove(f"{_PROMPTS}/{self._item}")


def forget_records(store: Store, item: str) -> None:
    """Remove what an item has made on its way, since its result has all of it."""
    for folder in (_BEGUN, _PROMPTS):
        store.remove(f"{folder}/{item}")


def packed(entries: Iterable[Entry]) -> str:
    """Return records as a text of JSON, which keeps the order of everything."""
    return json.dumps(list(entries))


def unpacked(text: str) -> list[Entry]:
    """Return the records in a text that `packed` wrote."""
    return [(collection, key, record) for collection, key, record in json.loads(text)]
