"""The ceiling and the floor, and the user who ends with them."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_eval.episode import Episode
from envscaler_eval.policies import (
    DONE,
    STOP,
    Turn,
    View,
    noop,
    oracle,
    pieces,
    play,
    scripted,
    scripted_user,
)
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario, ToolCall
from tests.conversations import converse
from tests.pack_files import STATE, a_scenario

Room = tuple[Scenario, InProcessRuntime]


def _scenario(**changes: Any) -> Scenario:
    return Scenario(**{**a_scenario(), "env": "stock_room", "state": STATE, **changes})


def test_the_oracle_plays_the_solution_and_reports(room: Room) -> None:
    with Episode(*room) as episode:
        play(oracle(room[0], "non_conv"), episode, max_steps=50)
        assert [call.name for call in episode.calls] == ["list_items", "take_item", "order_item"]
        assert episode.grade().success


def test_the_oracle_of_a_conversation_asks_before_it_acts(room: Room) -> None:
    with Episode(*room) as episode:
        talk = converse(oracle(room[0], "conv"), scripted_user(room[0]), episode)
        assert episode.grade().success
    assert talk.stopped
    assert talk.assistant[0].endswith("?")


def test_noop_claims_to_be_done_at_once(room: Room) -> None:
    assert noop()(View(0)) == Turn(DONE)
    with Episode(*room) as episode:
        play(noop(), episode, max_steps=50)
        assert episode.calls == []
        assert episode.grade().reward == 0


def test_play_stops_at_its_limit(room: Room) -> None:
    forever = scripted(Turn(calls=(ToolCall(name="list_items"),)))
    with Episode(*room) as episode:
        play(forever, episode, max_steps=7)
        assert len(episode.calls) == 7


def test_a_scripted_policy_repeats_its_last_turn() -> None:
    policy = scripted(Turn("one"), Turn("two"))
    assert [policy(View(step)).text for step in range(4)] == ["one", "two", "two", "two"]


def test_a_user_tells_the_task_in_pieces_and_held_back_facts_last() -> None:
    scenario = _scenario(
        task="Order nuts. It is urgent. Take three bolts out.", user={"held_back": ["urgent"]}
    )
    assert pieces(scenario) == ("Order nuts.", "Take three bolts out.", "It is urgent.")


def test_a_long_task_is_told_in_at_most_four_pieces() -> None:
    sentences = [f"This is sentence {number}." for number in range(11)]
    told = pieces(_scenario(task=" ".join(sentences)))
    assert len(told) <= 4
    assert " ".join(told) == " ".join(sentences)


_SENTENCES = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8).map(lambda s: f"{s}."),
    min_size=1,
    max_size=12,
)


@given(sentences=_SENTENCES, data=st.data())
def test_no_fact_is_lost_in_the_pieces(sentences: list[str], data: st.DataObject) -> None:
    held_back = data.draw(st.lists(st.sampled_from(sentences), max_size=3))
    told = pieces(_scenario(task=" ".join(sentences), user={"held_back": held_back}))
    assert 1 <= len(told) <= 4
    assert sorted(" ".join(told).split()) == sorted(" ".join(sentences).split())


def test_a_user_answers_each_message_with_the_next_piece_and_questions_to_the_end() -> None:
    scenario = _scenario(task="Take three bolts out. Then order nuts.")
    user = scripted_user(scenario)
    assert user(View(0, ["Hi!"])).text == "Take three bolts out."
    assert user(View(1, ["Hi!", "Done."])).text == "Then order nuts."
    assert "nothing to add" in user(View(2, ["Hi!", "Done.", "How many?"])).text
    assert user(View(3, ["Hi!", "Done.", "How many?", "All is done."])).text == STOP


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sentences=_SENTENCES)
def test_oracle_and_scripted_user_always_end_together(room: Room, sentences: list[str]) -> None:
    scenario = Scenario.model_validate({**room[0].model_dump(), "task": " ".join(sentences)})
    with Episode(scenario, room[1]) as episode:
        talk = converse(oracle(scenario, "conv"), scripted_user(scenario), episode)
        assert episode.grade().success
    assert talk.stopped
    told = pieces(scenario)
    assert tuple(talk.user[: len(told)]) == told
