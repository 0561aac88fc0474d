"""Audits over the engines of sweeps: the cards of `audit_packs`, from parts done anywhere."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, cast

from envscaler_eval.audit import PackCard, Selection
from envscaler_eval.audit.engine import Progress, _PackParts
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.sweep.audit_work import FUNCTION, AuditPart, audit_part
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.work import (
    DONE,
    FAILED,
    Engine,
    Item,
    Report,
    Work,
    keys_in,
    map_items,
)

_TRIES = 2


@dataclass(frozen=True)
class AuditOutcome:
    """What came of an audit over an engine.

    Attributes:
        cards: A card for each pack; none where parts are missing.
        missing: How many parts are not done.
        failures: Why some of them failed, a line each.
    """

    cards: Sequence[PackCard]
    missing: int = 0
    failures: Sequence[str] = ()


def audit_over(
    selections: Sequence[Selection],
    engine: Engine,
    store: Store,
    progress: Progress = lambda done, total: None,
    isolation: IsolationPolicy | None = None,
) -> AuditOutcome:
    """Audit packs over an engine.

    Cards that this machine has kept, and parts that the store has, are not made again.

    Args:
        selections: The packs. All machines have them by the same path, or in the library.
        engine: Where the parts are done.
        store: Where their results go.
        progress: Told of each part that is done.
        isolation: Where the packs run, as `audit_packs` takes it.

    Raises:
        PackError: A pack cannot be read.
        UsageError: This machine cannot isolate one, or the store cannot be written.
        GateError: A program or a check does what isolated code may not do.
    """
    isolation = isolation or IsolationPolicy()
    packs = [read_pack(selection.folder) for selection in selections]
    for pack in packs:
        isolation.admit(pack)
    audits = [
        _PackAudit(pack, selection.scenarios, isolation)
        for pack, selection in zip(packs, selections, strict=True)
    ]
    items = [item for audit in audits for item in audit.items]
    wanted = {item.key for item in items}
    done = keys_in(store, DONE) & wanted

    def take(keys: set[str]) -> None:
        done.update(keys)
        for audit in audits:
            audit.take(keys, store)
        progress(len(done), len(wanted))

    take(set(done))
    map_items(Work(FUNCTION, store.root, _TRIES), items, engine, _when_done(take))
    missing = wanted - done
    failed = sorted(keys_in(store, FAILED) & missing)
    return AuditOutcome(
        cards=() if missing else [audit.card() for audit in audits],
        missing=len(missing),
        failures=[json.loads(store.read(f"{FAILED}/{key}.json"))["message"] for key in failed],
    )


def _when_done(take: Callable[[set[str]], None]) -> Callable[[Report], None]:
    def tell(report: Report) -> None:
        if report.status == "done":
            take({report.key})

    return tell


class _PackAudit:
    """A pack's audit, whose parts come from the store."""

    def __init__(self, pack: Pack, names: Sequence[str], isolation: IsolationPolicy) -> None:
        scenarios = [pack.scenario(name) for name in names] or list(pack.scenarios)
        self._pool = _Items(pack)
        # It asks nothing of its pool but to submit.
        pool = cast(Any, self._pool)
        self._parts = _PackParts(pool, pack, scenarios, isolation)

    @property
    def items(self) -> Sequence[Item]:
        """The parts that this machine has not kept."""
        return self._pool.items

    def take(self, keys: set[str], store: Store) -> None:
        """Take the results of parts that are done."""
        if self._pool.settle(keys, store):
            self._parts.keep_what_is_there()

    def card(self) -> PackCard:
        """Put the parts together, when all are done."""
        self._parts.keep_what_is_there()
        return self._parts.card()


class _Items(Executor):
    """Stands for the pool of processes: writes down as items what it is to do."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._waiting: dict[str, tuple[AuditPart, Future[Any]]] = {}
        self.items: list[Item] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Write down a call of one of the audit's functions."""
        _, isolation, *more = args
        part = audit_part(self._pack, fn, tuple(more))
        future: Future[Any] = Future()
        self._waiting[part.key] = part, future
        self.items.append(part.item(self._pack, isolation))
        return future

    def settle(self, keys: set[str], store: Store) -> bool:
        """Give the results of parts to who waits for them; return whether there were any."""
        arrived = keys & self._waiting.keys()
        for key in arrived:
            part, future = self._waiting.pop(key)
            future.set_result(part.result(store))
        return bool(arrived)
