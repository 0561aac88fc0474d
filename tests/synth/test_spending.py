"""Tokens and dollars."""

from envscaler_eval.prices import Price
from envscaler_eval.synth.spending import Spending

USAGE = {"input_tokens": 1000, "output_tokens": 200, "input_tokens_cache_read": 500}


def record(model: str = "a/b", **usage: float) -> dict[str, object]:
    return {"model": model, "usage": {**USAGE, **usage}}


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
