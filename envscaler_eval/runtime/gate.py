"""The static gate: the first wall, which says in words what a program may not do.

It reads the text and runs nothing. It is no boundary by itself, since Python has
more ways to anything than a list can name; the walls around a worker are. It
keeps honest programs within what workers can do, and shows a stranger's intent
with a line number before anything runs.
"""

from functools import lru_cache

from envscaler_eval.errors import UsageError
from envscaler_eval.parsing import parse
from envscaler_eval.runtime.gate_rules import Definitions, Uses, Violation


class GateError(UsageError):
    """A program or a check does what isolated code may not do."""


def require_harmless_program(name: str, source: str, files: bool = False) -> None:
    """Let a program through, or say why not.

    Args:
        name: What to call it.
        source: Its text.
        files: Whether it has a scratch folder, and may use files.

    Raises:
        GateError: It does not pass; the message names the first line at fault.
    """
    found = violations(source, files)
    if found:
        raise GateError(f"environment '{name}': {found[0]}")


@lru_cache(maxsize=8192)
def require_harmless_check(about: str, code: str) -> None:
    """Let a check through, or say why not.

    Args:
        about: What it asks.
        code: Its text.

    Raises:
        GateError: It does not pass; the message names the first line at fault.
    """
    found = violations(code)
    if found:
        raise GateError(f"check '{about}': {found[0]}")


def violations(source: str, files: bool = False) -> list[Violation]:
    """Return what a text does that it may not do, in the order of its lines.

    Args:
        source: The text of a program or a check.
        files: Whether it may use files.
    """
    try:
        module = parse(source)
        # What the parser lets through may still not compile.
        compile(source, "<gate>", "exec", dont_inherit=True)
        found = [*Definitions(module).read(module.body), *Uses(files).read(module)]
    except (SyntaxError, ValueError) as fault:
        line = fault.lineno if isinstance(fault, SyntaxError) else None
        return [Violation(line or 1, f"is no Python ({fault.args[0]}); repair it")]
    except (RecursionError, MemoryError):
        return [Violation(1, "is nested too deeply; flatten its expressions")]
    return sorted(found, key=lambda violation: violation.line)
