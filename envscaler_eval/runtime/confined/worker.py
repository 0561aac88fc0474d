"""The process that holds one environment and answers for it.

Everything here after the first frames shares its memory with a program that may
be hostile, so that nothing the host does may depend on it being honest. Checks
never come here, nor anything else that tells what is asked for.
"""

import marshal
from contextlib import nullcontext

from envscaler_eval.program import Program
from envscaler_eval.runtime.confined.encoding import (
    EncodeError,
    TooLongError,
    decode,
    encode,
)
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.protocol import DONE, ENDED, REFUSED, TURN_BYTES
from envscaler_eval.runtime.confined.wire import Channel, ClosedError
from envscaler_eval.runtime.in_process import InProcessSession, describe
from envscaler_eval.runtime.initial_state import InitialState
from envscaler_eval.runtime.runtime import EnvironmentFault
from envscaler_eval.runtime.tracing import LineTracer
from envscaler_eval.state import State


class Answers:
    """The answers of a worker, each with its number, so that none passes for another."""

    def __init__(self, channel: Channel) -> None:
        """Answer over a channel."""
        self._channel = channel
        self._given = 0

    def send(self, kind: bytes, body: bytes) -> None:
        """Send the next answer."""
        self._given += 1
        self._channel.send(kind + self._given.to_bytes(TURN_BYTES, "little") + body)

    def refuse(self, kind: bytes, reason: str) -> None:
        """Send a reason in place of an answer."""
        self.send(kind, reason.encode(errors="replace"))


def serve(channel: Channel, limits: Limits) -> None:
    """Start an environment and answer for it until the host is gone.

    Args:
        channel: The connection to the host.
        limits: The bounds.

    Raises:
        ClosedError: The host is gone.
    """
    answers = Answers(channel)
    try:
        _serve(channel, answers, limits)
    except ClosedError:
        raise
    except MemoryError:
        answers.refuse(ENDED, f"needed more than {limits.memory_mib:g} MiB of memory")
    except TooLongError:
        answers.refuse(ENDED, f"answered with more than {limits.message_mib:g} MiB")
    except EnvironmentFault as fault:
        answers.refuse(ENDED, str(fault))
    except BaseException as fault:
        # Even what derives from BaseException alone must not pass for a crash.
        answers.refuse(ENDED, f"raised {describe(fault)}")


def _serve(channel: Channel, answers: Answers, limits: Limits) -> None:
    encoded_setting, code, state = (channel.receive() for _ in range(3))
    setting = decode(encoded_setting)
    program = Program(**setting["program"], code=marshal.loads(code))
    tracer = LineTracer(program.code)
    with tracer if setting["traced"] else nullcontext():
        session = InProcessSession(
            program,
            InitialState(decode(state)),
            setting["now"],
            setting["seed"],
            setting["observations"],
            fatal=(MemoryError,),
        )
        kind, body = _encoded(session.own_attributes(), limits.message_bytes)
        while True:
            answers.send(kind, body)
            request = decode(channel.receive())
            if "lines" in request:
                kind, body = DONE, encode(sorted(tracer.lines))
            elif "name" in request:
                outcome = session.call(request["name"], request["arguments"])
                told = {"observation": outcome.observation, "status": outcome.status}
                kind, body = DONE, encode(told, limits.message_bytes)
            else:
                kind, body = _encoded(session.attributes(), limits.message_bytes)


def _encoded(state: State, longest: int) -> tuple[bytes, bytes]:
    """Return a state as an answer, or why it is none."""
    try:
        return DONE, encode(state, longest)
    except TooLongError:
        raise
    except EncodeError as fault:
        return REFUSED, str(fault).encode(errors="replace")
