"""The process that judges: it has never run the program whose states it gets.

What is compared and hashed is done before the first check runs, and each check
arrives alone, when the one before has answered.
"""

import marshal

from envscaler_eval.runtime.checking import CheckSetting, run_check, text_of
from envscaler_eval.runtime.confined.encoding import DecodeError, decode, encode
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.protocol import DONE, ENDED
from envscaler_eval.runtime.confined.wire import Channel
from envscaler_eval.runtime.confined.worker import Answers
from envscaler_eval.runtime.in_process import describe
from envscaler_eval.runtime.runtime import Verdict
from envscaler_eval.state import State, UnserialisableStateError, changes, snapshot, state_hash


def serve(channel: Channel, limits: Limits) -> None:
    """Compare two states, then run checks on them until the host is gone.

    Args:
        channel: The connection to the host.
        limits: The bounds.

    Raises:
        ClosedError: The host is gone.
    """
    answers = Answers(channel)
    setting, given, own, final = (channel.receive() for _ in range(4))
    try:
        initial, reached = {**_state(own), **_state(given)}, _state(final)
        compared = encode(
            {
                "changes": [[change.path, change.kind] for change in changes(initial, reached)],
                "state_hash": state_hash(reached),
            }
        )
        checks = _Checks(initial, reached, CheckSetting(**decode(setting)))
    except (DecodeError, UnserialisableStateError) as fault:
        return answers.refuse(ENDED, str(fault))
    except (MemoryError, RecursionError) as fault:
        return answers.refuse(ENDED, f"it is too large or too deep ({type(fault).__name__})")
    answers.send(DONE, compared)
    while True:
        check = channel.receive()
        try:
            verdict = checks.run(check)
        except BaseException as fault:
            # What derives from BaseException alone must not pass for a crash.
            verdict = Verdict(False, f"raised {describe(fault)}")
        answers.send(DONE, encode([verdict.passed, verdict.broken]))


def _state(data: bytes) -> State:
    state = decode(data)
    if not isinstance(state, dict):
        raise DecodeError("it is no mapping")
    return state


class _Checks:
    """Runs checks on shared copies of two states, remade once a check has written to them."""

    def __init__(self, initial: State, final: State, setting: CheckSetting) -> None:
        self._states = initial, final
        self._shared = snapshot(initial), snapshot(final)
        self._before = text_of(self._shared)
        self._setting = setting

    def run(self, check: bytes) -> Verdict:
        name, code = marshal.loads(check)
        verdict = run_check(name, code, *self._shared, self._setting.builtins())
        if text_of(self._shared) != self._before:
            self._shared = snapshot(self._states[0]), snapshot(self._states[1])
        return verdict
