"""Calls made up by Hypothesis: sensible, on the edge, and wrong."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from envscaler_eval.audit.argument_mutants import Values
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario, ToolCall
from envscaler_eval.world import ToolSpec

SEQUENCES = 60
LENGTH = 12
PLACES = 2

_EDGE_TEXTS = ("", " ", "nobody", "2026-02-30", "99:99", "É✓", "a" * 300, "-1", "null")
_EDGE_NUMBERS = (0, -1, 1, 2, 10**9, -(10**9))


def fuzzed_sequences(scenario: Scenario, runtime: Runtime) -> list[tuple[ToolCall, ...]]:
    """Return sequences of calls that fit the schemas, always the same ones.

    Texts are mostly live values of the initial state, preferred where they stand
    under the argument's name, else edge cases.

    Args:
        scenario: Where the calls start.
        runtime: Whose tools are called.
    """
    made: list[tuple[ToolCall, ...]] = []
    tools = runtime.environment.tools
    values = Values(scenario.state)
    call = st.one_of([_call(tool, values) for tool in tools])

    @settings(
        max_examples=SEQUENCES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    )
    @given(st.lists(call, min_size=LENGTH, max_size=LENGTH))
    def collect(calls: list[ToolCall]) -> None:
        made.append(tuple(calls))

    collect()
    return made


def edges_in_place(
    played: Iterable[tuple[Scenario, Sequence[ToolCall]]], tools: Sequence[ToolSpec]
) -> Iterator[tuple[Scenario, tuple[ToolCall, ...]]]:
    """Yield sequences of calls that make sense up to a call with one argument on the edge.

    Made-up calls seldom hold together well enough to get far into a tool. Here
    all but one argument is right: nought, a negative number, an empty text or
    list stand where a solution has a sensible value, all of them in a row.

    Args:
        played: Scenarios with calls that fit them.
        tools: The tools that are called.
    """
    schemas: dict[str, Mapping[str, Any]] = {
        tool.name: tool.parameters["properties"] for tool in tools
    }
    places: Counter[tuple[str, str]] = Counter()
    for scenario, calls in played:
        for position, call in enumerate(calls):
            for name, value in call.arguments.items():
                edges = list(_edges(value, schemas[call.name].get(name, {})))
                if not edges or places[call.name, name] == PLACES:
                    continue
                places[call.name, name] += 1
                wrong = (
                    ToolCall(name=call.name, arguments={**call.arguments, name: edge})
                    for edge in edges
                )
                yield scenario, (*calls[:position], *wrong)


def _edges(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if any("enum" in option for option in (schema, *schema.get("anyOf", ()))):
        return
    if isinstance(value, str):
        yield from _EDGE_TEXTS
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _EDGE_NUMBERS
    elif isinstance(value, list):
        yield []
        for edge in _edges(value[0], schema.get("items", {})) if value else ():
            yield [edge, *value[1:]]
    elif isinstance(value, dict):
        inner: Mapping[str, Any] = schema.get("properties", {})
        for key, item in value.items():
            for edge in _edges(item, inner.get(key, {})):
                yield {**value, key: edge}


def _call(tool: ToolSpec, values: Values) -> st.SearchStrategy[ToolCall]:
    properties: Mapping[str, Any] = tool.parameters["properties"]
    required = tool.parameters.get("required", ())
    strategies = {name: _value(name, schema, values) for name, schema in properties.items()}
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in strategies.items() if name in required},
        optional={name: s for name, s in strategies.items() if name not in required},
    ).map(lambda arguments: ToolCall(name=tool.name, arguments=arguments))


def _value(name: str, schema: Mapping[str, Any], values: Values) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.one_of([_value(name, option, values) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "boolean":
            return st.booleans()
        case "integer":
            return st.one_of(st.integers(1, 60), st.sampled_from(_EDGE_NUMBERS))
        case "number":
            usual = st.floats(0.01, 5000, allow_nan=False).map(lambda value: round(value, 2))
            return st.one_of(usual, st.sampled_from(_EDGE_NUMBERS))
        case "array":
            items = _value(name, schema.get("items", {"type": "string"}), values)
            return st.lists(items, max_size=3)
        case "object":
            properties: Mapping[str, Any] = schema.get("properties", {})
            return st.fixed_dictionaries(
                {key: _value(key, inner, values) for key, inner in properties.items()}
            )
        case "null":
            return st.none()
        case _:
            return _text(name, values)


def _text(name: str, values: Values) -> st.SearchStrategy[str]:
    alike = values.named(name)
    usual = st.sampled_from(alike) if alike else st.text(max_size=12)
    return st.one_of(usual, usual, usual, usual, st.sampled_from(_EDGE_TEXTS))
