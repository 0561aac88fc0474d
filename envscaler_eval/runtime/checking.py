"""Running check functions so that none can influence another."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

import orjson

from envscaler_eval.runtime.runtime import Verdict
from envscaler_eval.scenario import Check, check_function
from envscaler_eval.state import State, plain, snapshot


def run_checks(
    checks: Sequence[Check], initial: State, final: State, builtins: Mapping[str, Any]
) -> tuple[Verdict, ...]:
    """Run checks on two states.

    All checks share one copy of each state. When a copy has changed afterwards,
    some check has written to it, and each runs again on copies of its own.

    Args:
        checks: The checks, in order.
        initial: The state before the first call; left as it is.
        final: The state to judge; left as it is.
        builtins: The builtins that the checks see.
    """
    if not checks:
        return ()
    shared = snapshot(initial), snapshot(final)
    before = _text(shared)
    verdicts = tuple(_run(check, *shared, builtins) for check in checks)
    if _text(shared) == before:
        return verdicts
    return tuple(_run(check, snapshot(initial), snapshot(final), builtins) for check in checks)


def _run(check: Check, initial: State, final: State, builtins: Mapping[str, Any]) -> Verdict:
    name, code = _compiled(check.code)
    namespace: dict[str, Any] = {"__builtins__": dict(builtins), "__name__": "check"}
    try:
        exec(code, namespace)
        answer = namespace[name](initial, final)
    except (Exception, SystemExit) as fault:
        message = (str(fault).splitlines() or [""])[0][:200]
        return Verdict(False, f"raised {type(fault).__name__}: {message}")
    if type(answer) is not bool:
        return Verdict(False, f"returned {type(answer).__name__}; return a bool")
    return Verdict(answer)


def _text(states: tuple[State, State]) -> bytes | str:
    """Return what any write changes, also to a value of another type or another order."""
    try:
        return orjson.dumps(states, default=plain)
    except TypeError:
        return repr(states)


@lru_cache(maxsize=4096)
def _compiled(code: str) -> tuple[str, CodeType]:
    return check_function(code), compile(code, "<check>", "exec", dont_inherit=True)
