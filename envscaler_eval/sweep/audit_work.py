"""One part of an audit, as an item of work that any machine with the pack can do."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from envscaler_eval.audit import EnvironmentCard, ScenarioCard, audited_hash, cache

# An audit's own parts, which it gives to a pool of processes. Making them public would change
# the code that cards are kept by, and so empty every cache of them.
from envscaler_eval.audit.engine import _assess, _audit, _opened, _scenario_key, _traces
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy, is_shipped, isolation_choice, limits_of
from envscaler_eval.pack import LIBRARY, Pack
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.work import Item, content_key, result_name

FUNCTION = "envscaler_eval.sweep.audit_work:run_audit_part"
_PARTS: Mapping[str, tuple[Any, TypeAdapter[Any]]] = {
    "traces": (_traces, TypeAdapter(dict[str, str])),
    "assessment": (_assess, TypeAdapter(EnvironmentCard)),
    "scenario": (_audit, TypeAdapter(ScenarioCard)),
}
_NAMES = {function: name for name, (function, _) in _PARTS.items()}


@dataclass(frozen=True)
class AuditPart:
    """A part of a pack's audit.

    Attributes:
        name: Which: `traces`, `assessment` or `scenario`.
        arguments: What its function takes besides the pack and its isolation.
        key: The hash of all that decides its result.
    """

    name: str
    arguments: tuple[str, ...]
    key: str

    def item(self, pack: Pack, isolation: IsolationPolicy) -> Item:
        """Return the part as an item of work."""
        shipped = is_shipped(pack)
        payload = {
            "part": self.name,
            "arguments": self.arguments,
            # The library is where each machine has installed it; other packs are shared.
            "library": shipped,
            "pack": pack.folder.name if shipped else str(pack.folder.resolve()),
            "audited": audited_hash(pack),
            "engine": cache.engine_hash(),
            "isolation": asdict(isolation),
        }
        return Item(self.key, payload)

    def result(self, store: Store) -> Any:
        """Return what its function has returned.

        Raises:
            FileNotFoundError: It is not done.
        """
        _, form = _PARTS[self.name]
        return form.validate_json(json.loads(store.read(result_name(self.key)))["result"])


def audit_part(pack: Pack, function: Any, arguments: tuple[str, ...]) -> AuditPart:
    """Return the part that a function of the audit does for a pack.

    Args:
        pack: The pack.
        function: The audit's function.
        arguments: What it takes besides the pack and its isolation.
    """
    name = _NAMES[function]
    if name == "scenario":
        about = _scenario_key(pack, pack.scenario(arguments[0]))
    else:
        about = cache.content_key(audited_hash(pack), *arguments)
    return AuditPart(name, arguments, content_key(["audit", name, about]))


def run_audit_part(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Do a part of an audit; a `WorkFunction`.

    Args:
        key: The part's key.
        payload: See `AuditPart.item`.
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
    _require_same(folder, isolation, payload["audited"])
    function, form = _PARTS[payload["part"]]
    result = function(folder, isolation, *payload["arguments"])
    return {"result": form.dump_json(result).decode()}


def _require_same(folder: Path, isolation: IsolationPolicy, audited: str) -> None:
    if audited_hash(_opened(folder, isolation)[0]) == audited:
        return
    # A process that lives long may have opened the pack before it was changed.
    _opened.cache_clear()
    if audited_hash(_opened(folder, isolation)[0]) != audited:
        raise UsageError(
            f"{folder}: this machine has another pack there than the one that is to be audited; "
            "bring the same to all machines"
        )
