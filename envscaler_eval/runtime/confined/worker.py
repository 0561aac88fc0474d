"""The process that holds one environment and answers for it.

Everything here after the first frames shares its memory with a program that may
be hostile, so that nothing the host does may depend on it being honest. Checks
never come here, nor anything else that tells what is asked for.
"""

import marshal
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from envscaler_eval.runtime.in_process import InitialState, InProcessSession, describe
from envscaler_eval.runtime.confined.encoding import EncodeError, decode, encode
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.wire import Channel, ClosedError
from envscaler_eval.runtime.runtime import EnvironmentFault

DONE = b"+"
"""An answer follows."""
REFUSED = b"-"
"""A reason follows; the worker goes on."""
ENDED = b"x"
"""A reason follows; the worker has ended."""


@dataclass(frozen=True)
class ShippedProgram:
    """An environment as it reaches a worker: compiled, without texts and schemas."""

    id: str
    class_name: str
    code: CodeType
    constructor_parameters: tuple[str, ...]
    constructor_reads_state: bool


class _TooLongError(Exception):
    """An answer is beyond the limit."""


def limit_processor_time(seconds: float) -> None:
    """Let the kernel end this process after some processor time; 0 calls it off."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def serve(channel: Channel, limits: Limits) -> None:
    """Start an environment and answer for it until the host is gone.

    Args:
        channel: The connection to the host.
        limits: The bounds.

    Raises:
        ClosedError: The host is gone.
    """
    try:
        _serve(channel, limits)
    except ClosedError:
        raise
    except MemoryError:
        say(channel, ENDED, f"needed more than {limits.memory_mib:g} MiB of memory")
    except _TooLongError:
        say(channel, ENDED, f"answered with more than {limits.message_mib:g} MiB")
    except EnvironmentFault as fault:
        say(channel, ENDED, str(fault))
    except BaseException as fault:
        # Even what derives from BaseException alone must not pass for a crash.
        say(channel, ENDED, f"raised {describe(fault)}")


def _serve(channel: Channel, limits: Limits) -> None:
    setting, code, state = (channel.receive() for _ in range(3))
    limit_processor_time(limits.call_cpu_seconds)
    session = _start(decode(setting), code, state)
    try:
        answer = DONE + encode(session.own_attributes())
    except EncodeError as fault:
        raise EnvironmentFault(f"it starts with what has no plain form: {fault}") from None
    while True:
        limit_processor_time(0)
        if len(answer) > limits.message_bytes:
            raise _TooLongError
        channel.send(answer)
        request = channel.receive()
        limit_processor_time(limits.call_cpu_seconds)
        answer = _answer(session, decode(request))


def _start(setting: Mapping[str, Any], code: bytes, state: bytes) -> InProcessSession:
    return InProcessSession(
        ShippedProgram(**setting["program"], code=marshal.loads(code)),
        InitialState(decode(state)),
        setting["now"],
        setting["seed"],
        setting["observations"],
        fatal=(MemoryError,),
    )


def _answer(session: InProcessSession, request: Mapping[str, Any]) -> bytes:
    if "name" in request:
        outcome = session.call(request["name"], request["arguments"])
        return DONE + encode({"observation": outcome.observation, "status": outcome.status})
    try:
        return DONE + encode(session.attributes())
    except EncodeError as fault:
        return REFUSED + str(fault).encode(errors="replace")


def say(channel: Channel, kind: bytes, reason: str) -> None:
    """Send a reason instead of an answer."""
    channel.send(kind + reason.encode(errors="replace"))
