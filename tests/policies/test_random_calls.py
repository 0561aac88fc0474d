"""Chance as a policy."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode
from envscaler_eval.pack import Pack, find_packs, read_pack
from envscaler_eval.policies import DONE, RandomCalls, View, play
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario
from envscaler_eval.state import state_hash
from envscaler_eval.world import ToolSpec

Room = tuple[Scenario, InProcessRuntime]

SOURCE = """
from typing import Literal, NotRequired, TypedDict

class Line(TypedDict):
    item_id: str
    pieces: int
    note: NotRequired[str | None]

class World:
    def act(
        self, a: int, b: float, c: bool, d: Literal["x", "y"], e: list[Line], f: dict[str, int],
        g: str | int | None = None, h: list = [], i=None, j: Literal[1, None] = None,
        *, k: list[list[str]],
    ) -> dict: ...
"""


def _environment() -> Environment:
    return Environment(
        id="world", title="W", introduction="", rules=(), class_name="World", source=SOURCE
    )


@given(
    seed=st.integers(0, 10_000),
    observations=st.lists(
        st.sampled_from(
            [
                '{"item_id": "I-7", "pieces": 4, "lines": [{"item_id": "I-8"}]}',
                "no JSON",
                '[1, 2.5, true, null, "x"]',
                '{"items": {"I-9": {"b": 2.5}}}',
            ]
        ),
        max_size=4,
    ),
)
def test_random_arguments_are_valid_by_their_schema(seed: int, observations: list[str]) -> None:
    environment = _environment()
    (call,) = RandomCalls(environment.tools, seed)(View(3, (), observations)).calls
    faults = [str(f) for f in environment.validators["act"].iter_errors(call.arguments)]
    assert faults == []


def test_a_view_decides_the_turn() -> None:
    policy = RandomCalls(_environment().tools, 1)
    view = View(5, (), ['{"item_id": "I-1"}'])
    assert policy(view) == policy(view)
    assert policy(view) == RandomCalls(_environment().tools, 1)(view)
    assert policy(view) != RandomCalls(_environment().tools, 2)(view)


def test_forty_calls_are_made_before_the_claim_to_be_done(room: Room) -> None:
    with Episode(*room) as episode:
        policy = RandomCalls(episode.tools, 1)
        play(policy, episode, max_steps=100)
        assert len(episode.calls) == 40
        assert policy(View(40)).text == DONE


def _tool(*parameters: str) -> ToolSpec:
    properties = {name: {"type": "string"} for name in parameters}
    return ToolSpec(
        "act", "", {"type": "object", "properties": properties, "required": list(parameters)}
    )


def test_identifiers_are_drawn_from_what_was_seen_under_a_similar_key() -> None:
    seen = json.dumps({"patients": {"P-1": {"name": "Ann"}}, "room_id": "R-1", "date": "2026"})
    policy = RandomCalls([_tool("patient_id", "room", "start_date")], 1)
    (call,) = policy(View(0, (), [seen])).calls
    assert call.arguments["room"] == "R-1"
    assert call.arguments["start_date"] == "2026"
    assert call.arguments["patient_id"] in ("P-1", "Ann")


def test_the_call_that_needs_fewer_guesses_is_preferred() -> None:
    known = _tool("item_id")
    unknown = ToolSpec("guess", "", _tool("lot_id").parameters)
    seen = ['{"item_id": "I-1"}']
    names = [
        RandomCalls([known, unknown], seed)(View(0, (), seen)).calls[0].name for seed in range(50)
    ]
    assert names.count("act") > 40


def _changing_tools(pack: Pack, runtime: InProcessRuntime) -> set[str]:
    """Return the tools that change the state in some solution."""
    names = set()
    for scenario in pack.scenarios:
        with Episode(scenario, runtime) as episode:
            for call in scenario.solution:
                before = state_hash(episode.state())
                episode.call(call.name, call.arguments)
                if state_hash(episode.state()) != before:
                    names.add(call.name)
    return names


@pytest.fixture(scope="module")
def library_results() -> dict[str, dict[str, Any]]:
    """What the random policy does to each pack of the library."""
    results = {}
    for folder in find_packs():
        pack = read_pack(folder)
        runtime = InProcessRuntime(pack.environment)
        changing = _changing_tools(pack, runtime)
        made, grades = [], []
        for scenario in pack.scenarios:
            with Episode(scenario, runtime) as episode:
                play(RandomCalls(episode.tools, f"{scenario.name}#0"), episode, 41)
                made += [call.status for call in episode.calls if call.name in changing]
                grades.append(episode.grade())
        results[folder.name] = {"made": made, "grades": grades}
    return results


def test_a_sixth_of_the_changes_that_chance_tries_succeed(
    library_results: dict[str, dict[str, Any]],
) -> None:
    made = [status for result in library_results.values() for status in result["made"]]
    assert made.count("ok") / len(made) >= 1 / 6


def test_chance_earns_next_to_nothing(library_results: dict[str, dict[str, Any]]) -> None:
    grades = [grade for result in library_results.values() for grade in result["grades"]]
    assert sum(grade.reward for grade in grades) / len(grades) < 0.05
    assert not any(grade.success for grade in grades)


def test_no_call_of_chance_breaks_a_tool(library_results: dict[str, dict[str, Any]]) -> None:
    broken = {
        name: result["made"].count("raised") + result["made"].count("invalid")
        for name, result in library_results.items()
    }
    assert broken == dict.fromkeys(broken, 0)
