"""Tokens and dollars."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.spending import Price, Spending, read_prices

USAGE = {"input_tokens": 1000, "output_tokens": 200, "input_tokens_cache_read": 500}


def record(model: str = "a/b", **usage: float) -> dict[str, object]:
    return {"model": model, "usage": {**USAGE, **usage}}


def test_a_price_is_for_a_million_tokens() -> None:
    assert Price(input=2, output=8).dollars(USAGE) == pytest.approx(0.003 + 0.0016)
    cheap = Price(input=2, output=8, input_cache_read=0.5)
    assert cheap.dollars(USAGE) == pytest.approx(0.002 + 0.00025 + 0.0016)


def test_what_inspect_has_priced_stays_so() -> None:
    spending = Spending()
    spending.add(record(total_cost=0.5), {"a/b": Price(input=1, output=1)})
    assert (spending.known_dollars, spending.each(2)) == (0.5, 0.25)


def test_dollars_are_unknown_when_one_price_is() -> None:
    spending = Spending()
    spending.add(record(), {"a/b": Price(input=1, output=1)})
    assert spending.known_dollars is not None
    spending.add(record("c/d"), {"a/b": Price(input=1, output=1)})
    assert spending.known_dollars is None
    assert spending.each(1) is None
    assert spending.unpriced == {"c/d"}
    assert (spending.answers, spending.input_tokens, spending.output_tokens) == (2, 3000, 400)


def test_a_table_of_prices_is_read(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("openai/gpt-4.1: {input: 2.0, output: 8.0, input_cache_read: 0.5}\n")
    assert read_prices(file) == {"openai/gpt-4.1": Price(input=2, output=8, input_cache_read=0.5)}
    assert read_prices(None) == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [("a/b: {input: 2.0}\n", "output: is missing"), ("- [", "valid YAML"), ("a/b: 3\n", "a/b")],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=told):
        read_prices(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_prices(tmp_path / "none.yaml")
