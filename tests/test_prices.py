"""Tables of prices, and what tokens cost by them."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.prices import Price, read_prices

USAGE = {"input_tokens": 1000, "output_tokens": 200, "input_tokens_cache_read": 500}


def test_a_price_is_for_a_million_tokens() -> None:
    assert Price(input=2, output=8).of_usage(USAGE) == pytest.approx(0.003 + 0.0016)
    cheap = Price(input=2, output=8, input_cache_read=0.5)
    assert cheap.of_usage(USAGE) == pytest.approx(0.002 + 0.00025 + 0.0016)


def test_without_a_file_there_are_no_prices() -> None:
    assert read_prices(None) == {}


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
