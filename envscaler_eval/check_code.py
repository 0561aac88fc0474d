"""The source text of a check, read without running it."""

import ast

from envscaler_eval.parsing import parse


def check_function(code: str) -> str:
    """Return the name of the function over two states that check code defines.

    Raises:
        ValueError: The code does not parse or does not define such a function.
    """
    try:
        tree = parse(code)
        compile(tree, "<check>", "exec")
    except (SyntaxError, ValueError) as fault:
        where = f"line {fault.lineno}: " if isinstance(fault, SyntaxError) else ""
        raise ValueError(f"check code is no Python: {where}{fault.args[0]}") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise ValueError("check code defines no function; write `def check(initial, final): ...`")
    arguments = functions[-1].args
    if len(arguments.posonlyargs) + len(arguments.args) != 2:
        raise ValueError(f"check function '{functions[-1].name}' must take (initial, final)")
    return functions[-1].name
