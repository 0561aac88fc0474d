"""An episode in a person's hands."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from envscaler_eval.episode import Episode
from envscaler_eval.pack import locate, read_pack
from envscaler_eval.playground import Catalogue, PlayedEpisode, TooManyCalls
from envscaler_eval.playground.suggestions import suggestions
from envscaler_eval.playground.traces import solution_yaml
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario
from envscaler_eval.state import state_hash
from tests.pack_files import stock_room

Room = tuple[Scenario, InProcessRuntime]


@pytest.fixture
def played(room: Room) -> Iterator[PlayedEpisode]:
    """The stock room being played."""
    episode = PlayedEpisode(*room, calls=5)
    yield episode
    episode.close()


def test_a_step_tells_what_it_changed(played: PlayedEpisode) -> None:
    step = played.call("take_item", {"item_id": "I-1", "quantity": 3})
    assert step.status == "ok"
    (changed,) = step.differences
    assert (changed.path, changed.before, changed.after) == (("items", "I-1", "quantity"), 10, 7)
    assert played.call("take_item", {"item_id": "I-9", "quantity": 3}).differences == ()


def test_undo_leads_back_to_the_very_state(played: PlayedEpisode) -> None:
    played.call("order_item", {"item_id": "I-1"})
    before = state_hash(played.state)
    played.call("order_item", {"item_id": "I-2"})
    assert state_hash(played.state) != before
    played.undo()
    assert state_hash(played.state) == before
    assert len(played.steps) == 1
    played.undo()
    played.undo()
    assert played.steps == []
    assert played.state == played.scenario.state


def test_the_reference_is_shown_step_by_step_up_to_the_full_reward(played: PlayedEpisode) -> None:
    for _ in played.scenario.solution:
        assert played.next_of_solution is not None
        played.follow_solution()
    assert played.next_of_solution is None
    assert played.judge().success


def test_the_reference_starts_over_after_calls_of_ones_own(played: PlayedEpisode) -> None:
    played.call("order_item", {"item_id": "I-1"})
    assert played.next_of_solution is None
    played.follow_solution()
    assert [step.call.name for step in played.steps] == [played.scenario.solution[0].name]


def test_a_grade_holds_until_the_next_call(played: PlayedEpisode) -> None:
    assert played.judge().reward == 0
    assert played.grade is not None
    played.call("list_items", {})
    assert played.grade is None


def test_an_episode_takes_no_more_calls_than_it_may(played: PlayedEpisode) -> None:
    for _ in range(5):
        played.call("list_items", {})
    with pytest.raises(TooManyCalls, match="at most 5 calls"):
        played.call("list_items", {})
    played.undo()
    played.call("list_items", {})


def test_a_saved_trace_is_a_solution_that_earns_what_it_says(
    played: PlayedEpisode, room: Room
) -> None:
    for call in played.scenario.solution:
        played.call(call.name, dict(call.arguments))
    calls = [step.call for step in played.steps]
    text = solution_yaml(played.scenario, calls, played.judge())
    assert text.startswith("# stock_room/restock: this trace of 3 calls earns 1.000.\n")
    with Episode(*room) as episode:
        for entry in yaml.safe_load(text)["solution"]:
            episode.call(entry["name"], entry["arguments"])
        assert episode.grade().success


def test_a_trace_says_what_it_lacks(played: PlayedEpisode) -> None:
    assert "earns 0.000; a solution must earn 1" in solution_yaml(
        played.scenario, [], played.judge()
    )


def test_scenarios_are_found_by_words_domain_and_difficulty(tmp_path: Path) -> None:
    pack, _, scenario = stock_room(tmp_path)
    catalogue = Catalogue([pack, read_pack(locate("hotel_operations"))])
    assert [one.scenario for one in catalogue.search("BOLTS stock_room")] == [scenario]
    assert {one.pack.info.domain for one in catalogue.search(domain="logistics")} == {"logistics"}
    hard = list(catalogue.search(hardness="hard"))
    assert hard
    assert all("hard" in one.scenario.tags for one in hard)
    assert catalogue.find("stock_room", "restock") is not None
    assert catalogue.find("stock_room", "other") is None


def test_fields_are_offered_what_the_state_holds(room: Room) -> None:
    scenario, runtime = room
    assert suggestions(runtime.environment.tools, scenario.state) == {"item_id": ["I-1", "I-2"]}
