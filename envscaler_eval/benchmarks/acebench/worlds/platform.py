"""What the five platforms have in common, and how one is called."""

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from envscaler_eval.benchmarks.acebench.texts import Texts

Tool = Callable[..., Any]


class Platform:
    """A platform of the benchmark, with state of its own.

    The subclasses have upstream's names, since error texts show them.

    Attributes:
        saved: The attributes that the end state consists of.
    """

    saved: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, initial: Mapping[str, Any], settings: Mapping[str, Any], texts: Texts
    ) -> None:
        """Start from the benchmark's data.

        Args:
            initial: Initial attributes of this platform; copied.
            settings: The task's `BaseApi` settings, which every platform has a
                copy of; a task's settings for other classes have no effect.
            texts: What the platform says.
        """
        self._initial: dict[str, Any] = copy.deepcopy(dict(initial))
        self._settings: dict[str, Any] = copy.deepcopy(dict(settings))
        self._say = texts

    def tools(self) -> Mapping[str, Tool]:
        """Return what can be called, listed to the agent or not, by name."""
        return {}

    def failure(self, key: str, **fields: Any) -> dict[str, Any]:
        """Return a refusal that says a text."""
        return {"status": False, "message": self._say(key, **fields)}

    def success(self, key: str, **fields: Any) -> dict[str, Any]:
        """Return a success that says a text."""
        return {"status": True, "message": self._say(key, **fields)}


def call_tool(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    """Call a tool by keyword arguments alone.

    Args:
        tool: A method of a platform.
        arguments: Its arguments by name.

    Returns:
        What the tool returns: often a live reference into its platform.

    Raises:
        TypeError: If the arguments do not fit, in the words of CPython 3.11
            whatever interpreter runs, since agents read them.
        Exception: Whatever the tool raises.
    """
    name = tool.__qualname__
    parameters = inspect.signature(tool).parameters
    for argument in arguments:
        if argument == "self":
            raise TypeError(f"{name}() got multiple values for argument 'self'")
        if argument not in parameters:
            raise TypeError(f"{name}() got an unexpected keyword argument '{argument}'")
    missing = [
        f"'{parameter.name}'"
        for parameter in parameters.values()
        if parameter.default is parameter.empty and parameter.name not in arguments
    ]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        raise TypeError(
            f"{name}() missing {len(missing)} required positional argument{plural}: "
            f"{_enumerated(missing)}"
        )
    return tool(**arguments)


def _enumerated(names: list[str]) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    return ", ".join(names[:-1]) + f", and {names[-1]}"
