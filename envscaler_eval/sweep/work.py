"""One function over many items, each done once, wherever its runs take place.

An item is named by what it holds. Its result is a file of that name, which appears whole or
not at all: who finds it need not do the work again, and two workers that did the same write the
same name. So a lost worker, a second start and a second machine change nothing but the time.
"""

import importlib
import json
import socket
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, Protocol, TypeVar

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep.store import Store, StoreError

Read = TypeVar("Read")

DONE = "done"
FAILED = "failed"


@dataclass(frozen=True)
class Item:
    """A piece of work.

    Attributes:
        key: The hash of what decides its result.
        payload: What the function is given, as JSON knows it.
    """

    key: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Work:
    """A function, and where its results go.

    Attributes:
        function: `package.module:name` of an importable `WorkFunction`. A name, not the
            function itself: it reaches other machines in a script, and must be
            installed there anyway.
        store: The folder or URL.
        tries: How often an item is tried before it is given up.
    """

    function: str
    store: str
    tries: int = 3


class WorkFunction(Protocol):
    """Does an item; depends on nothing but the payload."""

    def __call__(self, key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
        """Return the item's result, as JSON knows it.

        Args:
            key: The item's key.
            payload: What it is given.
            store: The store, for files beside the result.

        Raises:
            UsageError: A person must mend something; trying again is of no use.
            Exception: Anything else may go better the next time.
        """
        ...


@dataclass(frozen=True)
class Report:
    """What came of an item.

    Attributes:
        key: The item.
        status: `done`, or `failed`: then it may be tried again.
        message: Why it failed.
        final: Whether trying again is of no use.
        seconds: How long it took.
        worker: The machine.
    """

    key: str
    status: Literal["done", "failed"]
    message: str = ""
    final: bool = False
    seconds: float = 0.0
    worker: str = ""


class Engine(Protocol):
    """Runs items somewhere."""

    @property
    def workers(self) -> int:
        """How many items run at once, at most."""
        ...

    def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
        """Run items; each is tried again until it is done or `work.tries` are used.

        Args:
            work: The function.
            items: The items, none of which is done.
            tell: Called with what came of each run of an item, where the engine waits
                for that.
        """
        ...


def content_key(content: Any) -> str:
    """Return the key of an item that is decided by this content, as JSON knows it."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:32]


def result_name(key: str) -> str:
    """Return the file of an item's result."""
    return f"{DONE}/{key}.json"


def keys_in(store: Store, folder: str) -> set[str]:
    """Return the keys of the items that have a file in a folder."""
    names = store.names(folder, ".json")
    return {name.rpartition("/")[2].removesuffix(".json") for name in names}


def map_items(
    work: Work, items: Sequence[Item], engine: Engine, tell: Callable[[Report], None]
) -> int:
    """Do what is not done yet.

    Args:
        work: The function.
        items: All items.
        engine: Where they run.
        tell: Called with what came of each run of an item.

    Returns:
        How many items were not done and went to the engine.

    Raises:
        UsageError: The store cannot be used, or a machine has put its results where this
            one does not see them.
    """
    store = Store(work.store)
    done = keys_in(store, DONE)
    pending = list({item.key: item for item in items if item.key not in done}.values())
    seen: set[str] = set()

    def check(report: Report) -> None:
        if report.status == "done" and report.worker not in seen:
            seen.add(report.worker)
            if not store.exists(result_name(report.key)):
                raise UsageError(
                    f"{store.root}: {report.worker} has done its work, and the result is not here; "
                    "name a folder or URL that all processes and machines reach by the same name"
                )
        tell(report)

    if pending:
        engine.run(work, pending, check)
    return len(pending)


def run_item(work: Work, item: Item) -> Report:
    """Do one item here, unless its result is there; a worker's whole task.

    Returns:
        What came of it. A failure is noted in the store, until a later run succeeds.
    """
    store, began = Store(work.store), time.monotonic()
    where = socket.gethostname()
    if store.exists(result_name(item.key)):
        return Report(item.key, "done", worker=where)
    try:
        result = _function(work.function)(item.key, item.payload, store)
    except Exception as fault:
        told = " ".join(str(fault).split()) or type(fault).__name__
        report = Report(
            key=item.key,
            status="failed",
            message=told,
            final=isinstance(fault, UsageError) and not isinstance(fault, StoreError),
            seconds=time.monotonic() - began,
            worker=where,
        )
        note_failure(store, report, traceback.format_exc())
        return report
    store.write(result_name(item.key), json.dumps(result, sort_keys=True).encode())
    store.remove(f"{FAILED}/{item.key}.json")
    return Report(item.key, "done", seconds=time.monotonic() - began, worker=where)


def read_result(
    store: Store,
    key: str,
    read: Callable[[Any], Read],
    remedy: str = "give the command again",
) -> Read:
    """Return an item's result.

    Args:
        store: The store.
        key: The item.
        read: Makes it of what the item's function has returned.
        remedy: What to do once a damaged one is removed.

    Raises:
        FileNotFoundError: The item is not done.
        UsageError: The result is damaged.
    """
    content = store.read(result_name(key))
    try:
        return read(json.loads(content))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise UsageError(
            f"{store.url(result_name(key))}: is damaged; remove it and {remedy}"
        ) from None


def note_failure(store: Store, report: Report, trace: str = "") -> None:
    """Write down why an item failed, over what was noted of it before."""
    note = asdict(report) | {"at": time.time(), "traceback": trace}
    store.write(f"{FAILED}/{report.key}.json", json.dumps(note).encode())


def read_failure(store: Store, key: str) -> Report:
    """Return what `note_failure` has written; of a damaged note, that it is.

    Raises:
        FileNotFoundError: There is no note.
    """
    content = store.read(f"{FAILED}/{key}.json")
    try:
        note = json.loads(content)
        return Report(key, "failed", str(note["message"]), worker=str(note["worker"]))
    except (ValueError, LookupError, TypeError):
        return Report(key, "failed", "the note that tells why is damaged")


def _function(name: str) -> WorkFunction:
    module, _, attribute = name.partition(":")
    function: WorkFunction = getattr(importlib.import_module(module), attribute)
    return function
