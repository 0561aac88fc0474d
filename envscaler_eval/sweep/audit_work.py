"""One part of an audit, as an item of work that any machine with the pack can do."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from envscaler_eval.audit import cache
from envscaler_eval.audit.parts import RESULTS, AuditPart, do_part
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy, is_shipped, isolation_choice, limits_of
from envscaler_eval.pack import LIBRARY, Pack
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.work import Item, content_key, read_result

FUNCTION = "envscaler_eval.sweep.audit_work:run_audit_part"


def audit_item(part: AuditPart, pack: Pack, isolation: IsolationPolicy) -> Item:
    """Return a part of a pack's audit as an item of work."""
    shipped = is_shipped(pack)
    payload = {
        "part": asdict(part),
        # The library is where each machine has installed it; other packs are shared.
        "library": shipped,
        "pack": pack.folder.name if shipped else str(pack.folder.resolve()),
        "engine": cache.engine_hash(),
        "isolation": asdict(isolation),
    }
    return Item(content_key(["audit", part.kind, part.key]), payload)


def audit_result(part: AuditPart, key: str, store: Store) -> Any:
    """Return what a part has resulted in; see `RESULTS`.

    Args:
        part: The part.
        key: The key of its item.
        store: Where results are.

    Raises:
        FileNotFoundError: It is not done.
        UsageError: The result is damaged.
    """
    form = RESULTS[part.kind]
    return read_result(store, key, lambda result: form.validate_json(result["result"]))


def run_audit_part(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Do a part of an audit; a `WorkFunction`.

    Args:
        key: The item's key.
        payload: See `audit_item`.
        store: Where results go.

    Returns:
        The card or the traces, as a text of JSON that keeps the order of keys.

    Raises:
        UsageError: This machine has another pack or another release, or none, or cannot
            isolate it.
    """
    given = payload["isolation"]
    isolation = IsolationPolicy(
        isolation_choice(given["choice"]), given["allow_weak"], limits_of(given["limits"])
    )
    folder = LIBRARY / payload["pack"] if payload["library"] else Path(payload["pack"])
    if payload["engine"] != cache.engine_hash():
        raise UsageError(
            "this machine has another release of envscaler-eval than the one that plans the "
            "audit; install the same"
        )
    part = AuditPart(**payload["part"])
    return {"result": RESULTS[part.kind].dump_json(do_part(part, folder, isolation)).decode()}
