"""A trace as a scenario's solution, in the form of `scenarios.yaml`."""

from collections.abc import Iterable, Sequence
from typing import Any

from envscaler_eval import core_yaml
from envscaler_eval.episode import Grade
from envscaler_eval.errors import UsageError
from envscaler_eval.scenario import Scenario, ToolCall


def solution_entries(scenario: Scenario, calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Return calls as entries of a solution.

    Arguments that the reference solution marks as free in a tool's calls are marked in
    these calls, too.
    """
    free: dict[str, set[str]] = {}
    for call in scenario.solution:
        free.setdefault(call.name, set()).update(call.free_text)
    entries = []
    for call in calls:
        entry: dict[str, Any] = {"name": call.name, "arguments": call.arguments}
        marked = [name for name in call.arguments if name in free.get(call.name, ())]
        if marked:
            entry["free_text"] = marked
        entries.append(entry)
    return entries


def solution_yaml(scenario: Scenario, calls: Sequence[ToolCall], grade: Grade) -> str:
    """Return a trace to paste into the scenario's entry, with what it earns above it.

    Args:
        scenario: The scenario.
        calls: The calls, in order.
        grade: Its grade.

    Raises:
        UsageError: An argument holds what YAML cannot.
    """
    earned = f"earns {grade.reward:.3f}" if grade.graded else "is not graded"
    verdict = "" if grade.success or not grade.graded else "; a solution must earn 1"
    heading = f"# {scenario.name}: this trace of {len(calls)} calls {earned}{verdict}.\n"
    try:
        return heading + core_yaml.dump({"solution": solution_entries(scenario, calls)})
    except (UnicodeEncodeError, RecursionError):
        raise UsageError(
            "an argument holds half a character, or is too deep, and cannot be written as YAML; "
            "undo its call"
        ) from None
