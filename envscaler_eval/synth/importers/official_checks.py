"""EnvScaler's check functions in the form of this project.

Theirs is `check_func(final_state)`, with the initial state as a global
(interact_with_env/envscaler_env/utils/env_util.py, `run_check_function`). What
does not run there counts as not passed, and stays in the denominator.
"""

import ast
import io
import textwrap
import tokenize

from envscaler_eval.parsing import parse

_INDENT = " " * 4
_MULTILINE = {
    getattr(tokenize, name)
    for name in ("STRING", "FSTRING_MIDDLE", "TSTRING_MIDDLE")
    if hasattr(tokenize, name)
}


class UnusableCheckError(ValueError):
    """A check function cannot run: why."""


def adapted(code: str) -> str:
    """Return a check over (initial, final) that does what `check_func` did.

    Its text moves into the new function as it stands, since what it does at
    module level may look at the initial state too.

    Args:
        code: The text that defines `check_func`.

    Raises:
        UnusableCheckError: There is no such text, or it is no Python.
    """
    if not code.strip():
        raise UnusableCheckError("the release has no code for it")
    try:
        module = parse(code)
        compile(module, "<check>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as fault:
        raise UnusableCheckError(f"its code is no Python ({fault.args[0]})") from None
    initial = (
        f"{_INDENT}global initial_state\n{_INDENT}initial_state = initial\n"
        if any(isinstance(n, ast.Name) and n.id == "initial_state" for n in ast.walk(module))
        else ""
    )
    return (
        f"def check(initial, final):\n{initial}{_indented(code)}\n"
        f"{_INDENT}return check_func(final)\n"
    )


def never(reason: str) -> str:
    """Return a check that never passes, for one that cannot run.

    Args:
        reason: Why it cannot.
    """
    return textwrap.dedent(
        f"""\
        def check(initial, final):
            raise ValueError({reason!r})
        """
    )


def _indented(code: str) -> str:
    """Indent a text without touching the insides of its strings."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in _MULTILINE:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return "\n".join(
        line if number in inside or not line.strip() else _INDENT + line
        for number, line in enumerate(code.rstrip().split("\n"), start=1)
    )
