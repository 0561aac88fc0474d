"""Asking a world of the tests for what a tool says."""

from typing import Any

from envscaler_eval.benchmarks.acebench.worlds import AceWorld


def say(world: AceWorld, name: str, **arguments: Any) -> Any:
    """Call a tool and return what its last platform returns."""
    result = world.invoke(name, arguments)[-1]
    return result["message"] if isinstance(result, dict) and "message" in result else result
