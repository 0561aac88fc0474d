"""Running check functions so that none can influence another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import orjson

from envscaler_eval.check_code import check_function
from envscaler_eval.runtime.determinism import Clock, DeterministicModules
from envscaler_eval.runtime.reading import READING_BUILTINS, only_reads
from envscaler_eval.runtime.runtime import Verdict
from envscaler_eval.state import State, plain, snapshot

if TYPE_CHECKING:
    from envscaler_eval.scenario import Check


@dataclass(frozen=True)
class CheckSetting:
    """What a check sees of time and chance: a clock and a seed of its own.

    They stand at the scenario's start whatever the environment and the other
    checks have done, so that none of them can influence a check through them.

    Attributes:
        now: The clock's start, ISO 8601, read as UTC.
        seed: Fixes everything random.
    """

    now: str
    seed: str

    def builtins(self) -> dict[str, Any]:
        """Return builtins for one check."""
        return DeterministicModules(Clock(self.now), f"{self.seed}#checks").builtins


def run_checks(
    checks: Sequence[Check],
    initial: State,
    final: State,
    setting: CheckSetting,
    *,
    only_data: bool = False,
) -> tuple[Verdict, ...]:
    """Run checks on two states.

    Args:
        checks: The checks, in order.
        initial: The state before the first call; left as it is.
        final: The state to judge; left as it is.
        setting: What the checks see of time and chance.
        only_data: Whether the states are known to hold no objects, whose methods
            might change them. Checks that can only read then need no copies.
    """
    reading = [only_data and only_reads(check.code) for check in checks]
    others = [check for check, reads in zip(checks, reading, strict=True) if not reads]
    answers = iter(_run_on_copies(others, initial, final, setting))
    return tuple(
        run_check(*compiled_check(check.code), initial, final, READING_BUILTINS)
        if reads
        else next(answers)
        for check, reads in zip(checks, reading, strict=True)
    )


def _run_on_copies(
    checks: Sequence[Check], initial: State, final: State, setting: CheckSetting
) -> tuple[Verdict, ...]:
    """Run checks that may write.

    All share one copy of each state. When a copy has changed afterwards, some
    check has written to it, and each runs again on copies of its own.
    """
    if not checks:
        return ()
    shared = snapshot(initial), snapshot(final)
    before = text_of(shared)
    verdicts = tuple(_run(check, *shared, setting) for check in checks)
    if text_of(shared) == before:
        return verdicts
    return tuple(_run(check, snapshot(initial), snapshot(final), setting) for check in checks)


def _run(check: Check, initial: State, final: State, setting: CheckSetting) -> Verdict:
    return run_check(*compiled_check(check.code), initial, final, setting.builtins())


def run_check(
    name: str, code: CodeType, initial: State, final: State, builtins: dict[str, Any]
) -> Verdict:
    """Run one check, which may write to what it is given.

    Args:
        name: The function.
        code: The compiled text that defines it.
        initial: The state before the first call.
        final: The state to judge.
        builtins: The check's builtins.
    """
    namespace: dict[str, Any] = {"__builtins__": builtins, "__name__": "check"}
    try:
        exec(code, namespace)
        answer = namespace[name](initial, final)
    except (Exception, SystemExit) as fault:
        message = (str(fault).splitlines() or [""])[0][:200]
        return Verdict(False, f"raised {type(fault).__name__}: {message}")
    if type(answer) is not bool:
        return Verdict(False, f"returned {type(answer).__name__}; return a bool")
    return Verdict(answer)


def text_of(states: tuple[State, State]) -> bytes | str:
    """Return what any write changes, also to a value of another type or another order."""
    try:
        return orjson.dumps(states, default=plain)
    except TypeError:
        return repr(states)


@lru_cache(maxsize=4096)
def compiled_check(code: str) -> tuple[str, CodeType]:
    """Return the name of a check's function and the compiled text."""
    return check_function(code), compile(code, "<check>", "exec", dont_inherit=True)
