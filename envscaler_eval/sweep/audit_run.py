"""Audits over the engines of sweeps: the cards of `audit_packs`, from parts done anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass

from envscaler_eval.audit import PackCard, Selection
from envscaler_eval.audit.engine import Progress, open_audits
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.sweep.audit_work import FUNCTION, audit_item, audit_result
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.work import (
    DONE,
    FAILED,
    Engine,
    Report,
    Work,
    keys_in,
    map_items,
    read_failure,
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
    audits = open_audits(selections, isolation)
    items, owners = [], {}
    for audit in audits:
        for part in audit.parts:
            item = audit_item(part, audit.pack, isolation)
            items.append(item)
            owners[item.key] = audit, part
    total = len(owners)

    def take(key: str) -> None:
        if key in owners:
            audit, part = owners.pop(key)
            audit.take(part, audit_result(part, key, store))

    def tell(report: Report) -> None:
        if report.status == "done":
            take(report.key)
            progress(total - len(owners), total)

    for key in keys_in(store, DONE) & owners.keys():
        take(key)
    progress(total - len(owners), total)
    map_items(Work(FUNCTION, store.root, _TRIES), items, engine, tell)
    failed = sorted(keys_in(store, FAILED) & owners.keys())
    return AuditOutcome(
        cards=() if owners else [audit.card() for audit in audits],
        missing=len(owners),
        failures=[read_failure(store, key).message for key in failed],
    )
