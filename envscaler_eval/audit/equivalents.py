"""Trajectories that deserve the full reward although they differ from the solution."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from envscaler_eval.audit.trajectories import Trajectory, trajectory
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario, ToolCall
from envscaler_eval.state import State, canonical

_CLOCK_SHIFT = timedelta(seconds=90)
_COUNTER_SHIFT = 7
_OTHER_SEED = 1


def equivalents(scenario: Scenario, runtime: Runtime, solved: Trajectory) -> Iterator[Trajectory]:
    """Yield the alternatives, and variations of the solution that mean the same.

    Variations: neighbouring writes swapped where they commute, whole numbers
    written as decimals where the schema takes them, another seed, a clock that
    starts a little later, and counters that give other ids. A variation in
    which a call fails means something else and is left out.
    """
    for number, calls in enumerate(scenario.alternatives, start=1):
        yield trajectory(f"alternative {number}", scenario, runtime, calls)
    for variation in _variations(scenario, runtime, solved):
        if variation.smooth:
            yield variation


def _variations(scenario: Scenario, runtime: Runtime, solved: Trajectory) -> Iterator[Trajectory]:
    calls = solved.calls
    for first, second in zip(solved.writes, solved.writes[1:], strict=False):
        if second == first + 1:
            swapped = (*calls[:first], calls[second], calls[first], *calls[second + 1 :])
            label = f"calls {first + 1} and {second + 1} swapped"
            variation = trajectory(label, scenario, runtime, swapped)
            if same_outcome(variation, solved, scenario):
                yield variation
    decimal = tuple(_with_decimals(call, runtime) for call in calls)
    if decimal != calls:
        yield trajectory("whole numbers as decimals", scenario, runtime, decimal)
    yield trajectory("another seed", scenario, runtime, calls, seed=_OTHER_SEED)
    later = datetime.fromisoformat(scenario.now) + _CLOCK_SHIFT
    shifted = scenario.model_copy(update={"now": later.isoformat()})
    yield trajectory("a later clock", shifted, runtime, calls)
    counted = _with_other_counters(scenario, solved.final)
    if counted is not None:
        yield trajectory("other generated ids", counted, runtime, calls)


def _with_decimals(call: ToolCall, runtime: Runtime) -> ToolCall:
    tool = next(tool for tool in runtime.environment.tools if tool.name == call.name)
    properties: Mapping[str, Any] = tool.parameters["properties"]
    arguments = {
        name: float(value)
        if type(value) is int and properties[name].get("type") == "number"
        else value
        for name, value in call.arguments.items()
    }
    same = all(type(arguments[n]) is type(v) for n, v in call.arguments.items())
    return call if same else ToolCall(name=call.name, arguments=arguments)


def _with_other_counters(scenario: Scenario, final: State) -> Scenario | None:
    """Return the scenario with the counters that the solution moves set higher."""
    state = dict(scenario.state)
    moved = False
    for key, value in scenario.state.items():
        if type(value) is int and final.get(key) != value:
            state[key] = value + _COUNTER_SHIFT
            moved = True
        elif isinstance(value, dict) and value and all(type(v) is int for v in value.values()):
            state[key] = {
                name: count + _COUNTER_SHIFT if final[key].get(name) != count else count
                for name, count in value.items()
            }
            moved = moved or state[key] != value
    if not moved:
        return None
    # Another id, so that the runtime's knowledge of the scenario is not mixed up.
    return scenario.model_copy(update={"state": state, "id": f"{scenario.id}.other_ids"})


def same_outcome(one: Trajectory, other: Trajectory, scenario: Scenario) -> bool:
    """Tell whether two ends differ at most in generated ids and times."""
    return _outcome(one, scenario) == _outcome(other, scenario)


def _outcome(item: Trajectory, scenario: Scenario) -> str:
    """Return the state with what the environment made up replaced by a mark."""
    known = canonical(scenario.state).decode()
    given = " ".join(str(call.arguments) for call in item.calls)
    return str(_abstract(item.final, known, given))


def _abstract(value: Any, known: str, given: str) -> Any:
    if isinstance(value, dict):
        parts = [
            (_name(str(key), known, given), _abstract(item, known, given))
            for key, item in value.items()
        ]
        return sorted(parts, key=str)
    if isinstance(value, list):
        return [_abstract(item, known, given) for item in value]
    return _name(value, known, given) if isinstance(value, str) else value


_MOMENT = re.compile(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}")


def _name(text: str, known: str, given: str) -> str:
    made_up = text not in given and (text not in known or bool(_MOMENT.match(text)))
    return "<made up>" if made_up else text
