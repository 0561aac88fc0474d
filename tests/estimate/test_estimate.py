"""Sums over dialogues, and what is assumed of real models."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.estimate import (
    Assumptions,
    Dialogue,
    Generation,
    Price,
    Row,
    Size,
    estimate,
    read_prices,
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


def test_dollars_with_and_without_a_cache() -> None:
    price = Price(input=2, output=10, input_cache_read=0.5, input_cache_write=3)
    tokens = 1e6, 0.75e6, 0.1e6
    assert price.dollars(*tokens, cached=False) == pytest.approx(2 + 1)
    assert price.dollars(*tokens, cached=True) == pytest.approx(0.75 * 0.5 + 0.25 * 3 + 1)
    no_cache = Price(input=2, output=10)
    assert no_cache.dollars(*tokens, cached=True) == no_cache.dollars(*tokens, cached=False)


def _prices(folder: Path, text: str) -> Path:
    file = folder / "prices.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_prices_are_read_by_model(tmp_path: Path) -> None:
    table = read_prices(_prices(tmp_path, "a/b: {input: 1, output: 2.5, date: 2026-11-01}\n"))
    assert table == {"a/b": Price(input=1, output=2.5, date="2026-11-01")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "write `MODEL:"),
        ("- a", "write `MODEL:"),
        ("a: {input: 1", "is no YAML"),
        ("a: {input: 1}", "model 'a': output: Field required"),
        ("a: {input: -1, output: 2}", "model 'a': input: Input should be greater than"),
        ("a: {input: 1, output: 2, cached: 3}", "model 'a': cached: Extra inputs"),
        ("a: 3", "model 'a': Input should be"),
    ],
)
def test_a_faulty_table_is_told_in_one_line(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refusal:
        read_prices(_prices(tmp_path, text))
    message = str(refusal.value)
    assert message.startswith(f"{tmp_path / 'prices.yaml'}: ") and told in message
    assert "\n" not in message


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.yaml: No such file"):
        read_prices(tmp_path / "none.yaml")
