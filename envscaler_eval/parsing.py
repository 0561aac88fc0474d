"""Parsing Python from any thread."""

import ast
import threading

# CPython counts the depth of a parse once for all threads (seen in 3.11), so
# that two at once can end in "AST constructor recursion depth mismatch".
_ONE_AT_A_TIME = threading.Lock()


def parse(source: str) -> ast.Module:
    """Return the syntax tree of a module's text.

    Raises:
        SyntaxError: It is no Python.
        ValueError: It is no Python, or nested too deeply.
    """
    with _ONE_AT_A_TIME:
        try:
            return ast.parse(source)
        except (RecursionError, MemoryError):
            raise ValueError("it is nested too deeply") from None


def parse_expression(source: str) -> ast.expr:
    """Return the syntax tree of an expression's text.

    Raises:
        SyntaxError: It is no Python.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source, mode="eval").body
