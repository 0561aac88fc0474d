"""Visitors: bounded in number and time, and apart from each other."""

import asyncio

import pytest

from envscaler_eval.playground.visitors import Bounds, PlaygroundFull, Visitors


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Held:
    """Something to hold."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


BOUNDS = Bounds(visitors=2, idle_seconds=100, lifetime_seconds=1000, away_seconds=10)


def _visitors() -> tuple[Visitors, Clock]:
    clock = Clock()
    return Visitors(BOUNDS, clock), clock


def test_no_more_come_in_than_there_are_places() -> None:
    visitors, clock = _visitors()
    visitors.admit()
    visitors.admit()
    with pytest.raises(PlaygroundFull):
        visitors.admit()
    clock.now = 101
    visitors.admit()
    assert len(visitors) == 1


def test_only_the_token_finds_a_visitor() -> None:
    visitors, _ = _visitors()
    one, other = visitors.admit(), visitors.admit()
    assert visitors.find(one.token) is one
    assert visitors.find(other.token) is other
    for wrong in (None, "", one.token[:-1], "x" * len(one.token)):
        assert visitors.find(wrong) is None
    assert len(one.token) >= 40


def test_the_idle_are_let_go_with_all_that_they_hold() -> None:
    visitors, clock = _visitors()
    visitor, held = visitors.admit(), Held()
    visitor.enter(held)
    clock.now = 90
    assert visitors.find(visitor.token) is visitor
    clock.now = 180
    visitors.sweep()
    assert not held.closed
    clock.now = 281
    visitors.sweep()
    assert (held.closed, len(visitors), visitors.find(visitor.token)) == (1, 0, None)


def test_nobody_stays_beyond_a_lifetime_however_busy() -> None:
    visitors, clock = _visitors()
    visitor = visitors.admit()
    for now in range(0, 1000, 50):
        clock.now = now
        assert visitors.find(visitor.token) is visitor
    clock.now = 1001
    assert visitors.find(visitor.token) is None


def test_one_whose_last_page_is_closed_is_let_go_soon_unless_it_comes_back() -> None:
    visitors, clock = _visitors()
    visitor = visitors.admit()
    visitor.open_page("a")
    visitor.open_page("b")
    visitors.close_page(visitor.token, "a")
    clock.now = 50
    assert visitors.find(visitor.token) is visitor
    visitors.close_page(visitor.token, "b")
    clock.now = 55
    assert visitors.find(visitor.token) is visitor
    visitors.close_page(visitor.token, "b")
    clock.now = 66
    visitors.sweep()
    assert len(visitors) == 0


def test_what_is_held_gives_way_to_what_comes_in_its_place() -> None:
    visitors, _ = _visitors()
    visitor, first, second = visitors.admit(), Held(), Held()
    visitor.enter(first)
    visitor.enter(second)
    assert (first.closed, second.closed, visitor.room(Held)) == (1, 0, second)


def test_nobody_is_let_go_while_acting() -> None:
    visitors, clock = _visitors()
    visitor = visitors.admit()

    async def act() -> int:
        async with visitor.turn:
            clock.now = 5000
            visitors.sweep()
            return len(visitors)

    assert asyncio.run(act()) == 1
    visitors.sweep()
    assert len(visitors) == 0
