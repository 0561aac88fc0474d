"""What must be reachable, and what must not: literals, solutions, checks, private names."""

import ast
import json
import re
from collections.abc import Iterator, Sequence

from envscaler_eval.audit.check_mutants import compared_texts
from envscaler_eval.audit.findings import Item
from envscaler_eval.audit.trajectories import Trajectory
from envscaler_eval.episode import Episode
from envscaler_eval.parsing import parse
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.state import canonical, state_hash

_PRIVATE_NAMES = (
    "__init__",
    "__class__",
    "__dict__",
    "__getstate__",
    "__setattr__",
    "_private",
    "grade",
    "state",
    "check",
    "judge",
    "close",
    "",
)
# Dates and times follow from others: "next Tuesday", "an hour later".
_CALENDAR = re.compile(r"^(\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?|\d{2}:\d{2})$")
_CODE = re.compile(r"\b(def|return|lambda|final\[|initial\[)")
_NOTES = 8


def audit_leaks(
    scenario: Scenario, runtime: Runtime, solved: Trajectory, others: Sequence[Trajectory]
) -> Item:
    """Look for literals that nobody can find and for secrets that anybody can.

    Args:
        scenario: The scenario.
        runtime: Where its environment runs.
        solved: The solution's trajectory.
        others: More trajectories whose observations are searched.
    """
    sources = _reachable_text(scenario, runtime, solved)
    required = sorted(
        {literal for check in scenario.checks for literal in compared_texts(check.code)}
    )
    notes = [
        f"a check requires {literal!r}, which neither the task nor the state nor a tool shows"
        for literal in required
        if literal not in sources and not _CALENDAR.match(literal)
    ]
    observations = [text for item in (solved, *others) for text in item.observations]
    notes += [
        f"an observation contains {secret!r}"
        for secret in _secrets(scenario)
        if any(secret in text for text in observations)
    ]
    refused = list(_accepted_names(scenario, runtime))
    notes += [f"the undeclared name '{name}' can be called" for name in refused]
    names = _names(runtime)
    return Item(
        name="leaks",
        passed=not notes,
        cases=len(required) + len(names),
        failures=len(notes),
        notes=tuple(notes[:_NOTES]),
    )


def _reachable_text(scenario: Scenario, runtime: Runtime, solved: Trajectory) -> str:
    """Return everything that an agent can read without having written it."""
    environment = runtime.environment
    tools = [[tool.name, tool.description, tool.parameters] for tool in environment.tools]
    shown = []
    for call, observation in zip(solved.calls, solved.observations, strict=True):
        echoed = [value for value in call.arguments.values() if isinstance(value, str) and value]
        for value in echoed:
            observation = observation.replace(value, "")
        shown.append(observation)
    return "\n".join(
        [
            scenario.task,
            scenario.now,
            environment.introduction,
            *environment.rules,
            json.dumps(tools, default=dict, ensure_ascii=False),
            canonical(scenario.state).decode(),
            *shown,
        ]
    )


def _secrets(scenario: Scenario) -> list[str]:
    lines = [
        line.strip()
        for check in scenario.checks
        for line in check.code.splitlines()
        if _CODE.search(line)
    ]
    return ["Traceback (most recent call last)", "<environment ", "<check>", *lines]


def _names(runtime: Runtime) -> list[str]:
    declared = {tool.name for tool in runtime.environment.tools}
    private = [
        node.name
        for node in ast.walk(parse(runtime.environment.source))
        if isinstance(node, ast.FunctionDef)
    ]
    return sorted({*_PRIVATE_NAMES, *private} - declared)


def _accepted_names(scenario: Scenario, runtime: Runtime) -> Iterator[str]:
    with Episode(scenario, runtime) as episode:
        before = state_hash(episode.state())
        for name in _names(runtime):
            episode.call(name, {})
            if episode.calls[-1].status != "unknown" or state_hash(episode.state()) != before:
                yield name
