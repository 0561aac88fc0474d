"""Which lines of a program ran. Environments are no files, which coverage tools need."""

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any


def line_coverage(code: CodeType, play: Callable[[], None]) -> tuple[int, list[int]]:
    """Run something and see which lines of a program it reaches.

    Args:
        code: The compiled program; its functions are recognised by its filename.
        play: What runs the program, in this thread.

    Returns:
        How many lines of the program's functions ran, and which did not.
    """
    ran: set[int] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != code.co_filename:
            return None
        if event == "line":
            ran.add(frame.f_lineno)
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        play()
    finally:
        sys.settrace(previous)
    lines = {line for function in _functions(code) for line in _lines(function)}
    return len(lines & ran), sorted(lines - ran)


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions in a program, not of its module and classes."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & _OPTIMIZED:
                yield constant
            yield from _functions(constant)


_OPTIMIZED = 0x1
"""CO_OPTIMIZED: set for functions, whose locals are fast, and not for class bodies."""


def _lines(code: CodeType) -> set[int]:
    body = {line for _, _, line in code.co_lines() if line is not None}
    # The line of the definition runs when the class is made, not when it is called.
    return body - {code.co_firstlineno}
