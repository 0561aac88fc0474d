"""Sums over dialogues, and what is assumed of real models."""

import pytest

from envscaler_eval.estimate import (
    Assumptions,
    Dialogue,
    Generation,
    Row,
    Size,
    estimate,
)


def _generation(read: int, written: int) -> Generation:
    """A generation that reads and writes so many tokens of prose."""
    return Generation(Size(prose=round(read * 4.5)), Size(prose=round(written * 4.5)))


AGENT = (_generation(1000, 20), _generation(1100, 20), _generation(1300, 50))


def _only(assumptions: Assumptions, *generations: Generation) -> Row:
    (row,) = estimate([("hotel", Dialogue(generations, ()))], assumptions)
    return row


def test_each_generation_reads_all_that_came_before() -> None:
    row = _only(Assumptions(), *AGENT)
    assert (row.label, row.side, row.episodes, row.calls) == ("hotel", "agent", 1, 3)
    assert row.read == pytest.approx(3400)
    assert row.repeated == pytest.approx(2100)
    assert row.written == pytest.approx(90)


def test_trials_multiply_everything() -> None:
    one, four = (_only(Assumptions(trials=trials), *AGENT) for trials in (1, 4))
    assert (four.episodes, four.calls) == (4, 12)
    assert (four.read, four.repeated, four.written) == pytest.approx(
        (4 * one.read, 4 * one.repeated, 4 * one.written)
    )


def test_more_generations_lengthen_the_history_by_as_much_each_time() -> None:
    steady = [_generation(1000 + 100 * place, 10) for place in range(4)]
    row = _only(Assumptions(factor=1.75), *steady)
    assert row.calls == 7
    assert row.read == pytest.approx(sum(1000 + 100 * place for place in range(7)))
    assert row.written == pytest.approx(70)


def test_fewer_generations_shorten_it() -> None:
    row = _only(Assumptions(factor=0.5), *[_generation(1000 + 100 * p, 10) for p in range(4)])
    assert row.calls == 2
    assert row.read == pytest.approx(1000 + 1100)


def test_a_single_generation_stays_one_or_is_repeated() -> None:
    assert _only(Assumptions(factor=0.1), *AGENT).calls == 1
    assert _only(Assumptions(factor=2), AGENT[0]).read == pytest.approx(2000)


def test_thinking_is_the_agent_s_alone_and_is_read_again_only_where_it_is_kept() -> None:
    talk = Dialogue(AGENT, (_generation(500, 30),))
    kept, user = estimate([("hotel", talk)], Assumptions(thinking=400))
    dropped, _ = estimate([("hotel", talk)], Assumptions(thinking=400, keeps_thinking=False))
    assert kept.written == dropped.written == pytest.approx(90 + 3 * 400)
    assert kept.read == pytest.approx(3400 + 400 + 800)
    assert kept.repeated == pytest.approx(2100 + 400)
    assert dropped.read == pytest.approx(3400)
    assert user.side == "user"
    assert user.written == pytest.approx(30)


def test_environments_are_summed_apart_in_their_order() -> None:
    talk = Dialogue(AGENT, ())
    rows = estimate([("b", talk), ("a", talk), ("b", talk)], Assumptions())
    assert [(row.label, row.episodes, row.calls) for row in rows] == [("b", 2, 6), ("a", 1, 3)]


def test_kinds_of_text_have_tokens_of_their_own_length() -> None:
    assert Size(prose=450).tokens == pytest.approx(100)
    assert Size(schema=390).tokens == pytest.approx(100)
    assert Size(data=270).tokens == pytest.approx(100)
    assert (Size(1, 2, 3) + Size(1, 2, 3)).characters == 12
