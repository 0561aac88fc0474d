"""Frames over a socket: four bytes of length, then the payload."""

import contextlib
import os
import select
import socket
import time

_HEADER = 4
# Larger buffers come from the kernel and go back to it, which costs more than
# the rest of a call.
_SMALL_READ = 1 << 13
_LARGE_READ = 1 << 18


class FrameTooLongError(Exception):
    """The other side announces a frame beyond the limit."""


class ClosedError(Exception):
    """The other side is gone."""


class Channel:
    """One end of a conversation in frames.

    Only `read` and `write` are used unless a deadline is given, since a worker
    may do little more.
    """

    def __init__(self, connection: socket.socket, longest: int | None = None) -> None:
        """Take over a connected socket.

        Args:
            connection: The socket, closed with the channel.
            longest: The longest frame that is accepted, in bytes; any by default.
        """
        self._connection = connection
        self._descriptor = connection.fileno()
        self._longest = longest
        self._received = bytearray()
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._descriptor, select.POLLIN)
        self._writable.register(self._descriptor, select.POLLOUT)

    def send(self, payload: bytes, deadline: float | None = None) -> None:
        """Send a frame.

        Args:
            payload: What it holds.
            deadline: When to give up, on the monotonic clock.

        Raises:
            ClosedError: The other side is gone.
            TimeoutError: The deadline has passed.
        """
        rest = memoryview(len(payload).to_bytes(_HEADER, "little") + payload)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                _wait(self._writable, deadline)
            except (BrokenPipeError, ConnectionResetError):
                raise ClosedError from None

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the payload of the next frame.

        Args:
            deadline: When to give up, on the monotonic clock.

        Raises:
            ClosedError: The other side is gone.
            FrameTooLongError: The frame is beyond the limit.
            TimeoutError: The deadline has passed.
        """
        length = None
        while True:
            if length is None and len(self._received) >= _HEADER:
                length = int.from_bytes(self._received[:_HEADER], "little")
                if self._longest is not None and length > self._longest:
                    raise FrameTooLongError
            if length is not None and len(self._received) >= _HEADER + length:
                payload = bytes(memoryview(self._received)[_HEADER : _HEADER + length])
                del self._received[: _HEADER + length]
                return payload
            if deadline is not None:
                _wait(self._readable, deadline)
            awaited = (length or 0) - len(self._received)
            self._received += self._read(_LARGE_READ if awaited > _SMALL_READ else _SMALL_READ)

    def speaks_unasked(self) -> bool:
        """Whether something has come that nobody asked for; never waits.

        For a channel that does not block.
        """
        if self._readable.poll(0):
            with contextlib.suppress(BlockingIOError, ClosedError):
                self._received += self._read(_SMALL_READ)
        return bool(self._received)

    def close(self) -> None:
        """Close the socket. May be called twice."""
        self._connection.close()

    def _read(self, size: int) -> bytes:
        try:
            received = os.read(self._descriptor, size)
        except ConnectionResetError:
            raise ClosedError from None
        if not received:
            raise ClosedError
        return received


def _wait(poll: select.poll, deadline: float | None) -> None:
    rest = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
    if not poll.poll(rest):
        raise TimeoutError
