"""Which lines of a program could run, and which of them did."""

from collections.abc import Iterator, Set
from types import CodeType


def line_coverage(code: CodeType, ran: Set[int]) -> tuple[int, list[int]]:
    """Hold the lines that ran against those of the program's functions.

    Args:
        code: The compiled program.
        ran: The numbers of the lines that ran.

    Returns:
        How many lines of the program's functions ran, and which did not.
    """
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
