"""What Python says when a tool is called with the wrong arguments.

Upstream passes a model's arguments to a Python function as keywords, so the
interpreter's own complaints are observations. They are written out here, for
the interpreter words them differently from version to version (3.11 is the
reference).
"""

from collections.abc import Mapping, Sequence
from typing import Any


def binding_fault(
    domain: str, tool: str, parameters: Sequence[str], arguments: Mapping[str, Any]
) -> str | None:
    """Tell why arguments do not fit a tool, in upstream's words.

    Args:
        domain: `retail` or `airline`.
        tool: The tool's name, which is also its module's upstream.
        parameters: The parameters, all of them required, in order.
        arguments: What the model passed.

    Returns:
        The text of the `TypeError`, or None if the arguments fit.
    """
    function = "".join(word.capitalize() for word in tool.split("_")) + ".invoke()"
    if "data" in arguments:
        # Upstream's own first parameter, the database.
        return (
            f"tau_bench.envs.{domain}.tools.{tool}.{function} "
            "got multiple values for keyword argument 'data'"
        )
    for name in arguments:
        if name not in parameters:
            return f"{function} got an unexpected keyword argument '{name}'"
    missing = [f"'{name}'" for name in parameters if name not in arguments]
    if not missing:
        return None
    plural = "" if len(missing) == 1 else "s"
    return (
        f"{function} missing {len(missing)} required positional "
        f"argument{plural}: {_enumerated(missing)}"
    )


def _enumerated(names: list[str]) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
