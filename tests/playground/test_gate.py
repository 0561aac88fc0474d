"""The gate before each turn: a person's turn is the one it was meant for."""

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import anyio

from envscaler_eval.playground.gate import Gate, PersonsTurn, Role
from tests.playground.processes import eventually


def _turn(gate: Gate, role: Role) -> PersonsTurn | None:
    return anyio.run(gate.turn, role)


def test_what_came_too_late_for_one_turn_is_not_the_next_ones() -> None:
    told: list[Any] = []
    gate = Gate(told.append, 0, frozenset({"agent", "user"}))
    with ThreadPoolExecutor(1) as thread:
        # The agent was given back and has made its turn by the time this arrives.
        gate.order({"order": "turn", "role": "agent", "call": ["take_item", {}]})
        turn = thread.submit(_turn, gate, "user")
        assert eventually(lambda: {"event": "waits", "role": "user", "for": "person"} in told)
        gate.order({"order": "turn", "role": "agent", "call": ["take_item", {}]})
        assert not wait([turn], 0.2).done
        gate.order({"order": "turn", "role": "user", "text": "Thanks."})
        assert turn.result(30) == PersonsTurn("user", "Thanks.")


def test_a_role_that_is_given_back_is_played_by_its_model_again() -> None:
    told: list[Any] = []
    gate = Gate(told.append, 0, frozenset({"agent"}))
    with ThreadPoolExecutor(1) as thread:
        turn = thread.submit(_turn, gate, "agent")
        assert eventually(lambda: bool(told))
        gate.order({"order": "give", "role": "agent"})
        gate.order({"order": "turn", "role": "agent", "text": "too late"})
        assert turn.result(30) is None


def test_a_paused_turn_waits_for_its_step_and_the_next_one_for_another() -> None:
    told: list[Any] = []
    gate = Gate(told.append, 0)
    gate.order({"order": "pause"})
    with ThreadPoolExecutor(1) as thread:
        for number in (1, 2):
            turn = thread.submit(_turn, gate, "agent")
            waits = {"event": "waits", "role": "agent", "for": "step"}
            assert eventually(lambda: told.count(waits) == number)  # noqa: B023
            assert not turn.done()
            gate.order({"order": "step"})
            assert turn.result(30) is None
