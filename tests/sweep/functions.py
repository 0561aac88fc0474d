"""Work for tests of engines: small functions that leave traces in the store."""

import os
import time
import uuid
from collections.abc import Mapping
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep import Store

_HERE = "tests.sweep.functions"
DOUBLE = f"{_HERE}:double"
STUMBLE = f"{_HERE}:stumble"
REFUSE = f"{_HERE}:refuse"
DIE = f"{_HERE}:die"


def double(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Double a number."""
    _trace(key, store)
    return {"value": 2 * payload["number"]}


def stumble(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Fail as often as the payload says, then double."""
    _trace(key, store)
    if runs(key, store) <= payload["failures"]:
        raise RuntimeError("stumbled")
    return {"value": 2 * payload["number"]}


def refuse(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Say that a person must mend something."""
    _trace(key, store)
    raise UsageError("there is no such model; name another")


def die(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Kill the process as often as the payload says, or wait for a file; then double."""
    _trace(key, store)
    if runs(key, store) <= payload.get("deadly", 0):
        os._exit(9)
    while payload.get("until") and not store.exists(payload["until"]):
        time.sleep(0.02)
    return {"value": 2 * payload["number"]}


def runs(key: str, store: Store) -> int:
    """Return how often an item was run."""
    return len(store.names(f"traces/{key}"))


def _trace(key: str, store: Store) -> None:
    store.write(f"traces/{key}/{uuid.uuid4().hex}", b"")
