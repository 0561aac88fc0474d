"""What models see of tools, turn by turn."""

from pathlib import Path

import pytest

from envscaler_eval.benchmarks.bfcl import Dataset, Snapshot, load
from envscaler_eval.benchmarks.bfcl.tools import held_out, offered, tool_specs

HINT = " Note that the provided function is in Python 3 syntax."


def names_and_hints(dataset: Dataset, turn: int) -> list[tuple[str, int]]:
    """Return the tools of a turn and how often each has the hint."""
    docs = offered(dataset, dataset.entry("multi_turn_miss_func_0"), turn)
    return [(doc["name"], doc["description"].count(HINT)) for doc in docs]


@pytest.mark.parametrize(("snapshot", "before", "old", "new"), [("v4", 1, 1, 0), ("v3", 1, 2, 1)])
def test_held_out_tools_come_last_with_the_hints_of_the_snapshot(
    miniature: Path, snapshot: Snapshot, before: int, old: int, new: int
) -> None:
    dataset = load(snapshot, miniature)
    first = ["open_ticket", "titles", "pay", "balance"]
    for turn in (0, 1):
        assert names_and_hints(dataset, turn) == [(name, before) for name in first]
    for turn in (2, 3):
        assert names_and_hints(dataset, turn) == [
            *((name, old) for name in first),
            ("close_ticket", new),
            ("note", new),
        ]


def test_a_reveal_shows_descriptions_as_they_are(small: Dataset) -> None:
    entry = small.entry("multi_turn_miss_func_0")
    assert [doc["name"] for doc in held_out(small, entry, 2)] == ["close_ticket", "note"]
    assert held_out(small, entry, 2)[0] is small.docs["TicketAPI"][1]
    assert held_out(small, entry, 1) == []


def test_excluded_tools_are_offered_all_the_same(small: Dataset) -> None:
    docs = offered(small, small.entry("multi_turn_miss_param_0"), 0)
    assert "note" in [doc["name"] for doc in docs]


def test_descriptions_become_json_schema(small: Dataset) -> None:
    specs = {
        spec.name: spec for spec in tool_specs(offered(small, small.entry("multi_turn_base_0"), 0))
    }
    assert specs["open_ticket"].parameters == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "The title."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Tags."},
        },
        "required": ["title", "tags"],
    }
    assert specs["note"].parameters["properties"]["text"]["type"] == "string"
    assert specs["pay"].parameters["properties"]["amount"] == {
        "type": "number",
        "format": "float",
        "description": "How much. This is a float type value.",
    }
    assert small.docs["TravelAPI"][0]["parameters"]["properties"]["amount"]["type"] == "float"


def test_what_tools_return_can_be_described(small: Dataset) -> None:
    (spec,) = tool_specs(small.docs["TravelAPI"][:1], describe_responses=True)
    assert spec.description == (
        'Does pay. The response field has the following schema: {"type": "dict", "properties": {}}'
    )
