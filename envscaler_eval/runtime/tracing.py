"""Which lines of a program run. Environments are no files, which coverage tools need."""

import sys
from types import CodeType, FrameType, TracebackType
from typing import Any, Self


class LineTracer:
    """Records the lines of one program that run in this thread.

    A context manager; `lines` grows while it is entered.

    Attributes:
        lines: The numbers of the lines that have run.
    """

    def __init__(self, code: CodeType) -> None:
        """Prepare to trace.

        Args:
            code: The compiled program; its functions are recognised by its filename.
        """
        self.lines: set[int] = set()
        self._filename = code.co_filename

    def __enter__(self) -> Self:
        """Start tracing."""
        self._previous = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop tracing."""
        sys.settrace(self._previous)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self._filename:
            return None
        if event == "line":
            self.lines.add(frame.f_lineno)
        return self._trace
