"""Prices of models, from a file that a person gives."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.scenario import Frozen


class Price(Frozen):
    """What a model costs, in dollars per million tokens.

    The names are those of Inspect's `--model-cost-config`, which reads the same file.

    Attributes:
        input: Input that is not cached.
        output: Output, reasoning included.
        input_cache_read: Input read from a cache; without it nothing is taken
            to be cached.
        input_cache_write: Input written to a cache; by default as other input.
        source: Where the prices are from.
        date: When they were read there.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    input_cache_read: float | None = Field(default=None, ge=0)
    input_cache_write: float | None = Field(default=None, ge=0)
    source: str = ""
    date: str = ""

    def dollars(self, read: float, repeated: float, written: float, *, cached: bool) -> float:
        """Return the price of tokens.

        Args:
            read: Input tokens.
            repeated: Those of them that the generation before had read.
            written: Output tokens.
            cached: Whether what is repeated comes from a cache, where the model has one.
        """
        cost = written * self.output
        if cached and self.input_cache_read is not None:
            write = self.input if self.input_cache_write is None else self.input_cache_write
            cost += repeated * self.input_cache_read + (read - repeated) * write
        else:
            cost += read * self.input
        return cost / 1e6

    def of_usage(self, usage: Mapping[str, Any]) -> float:
        """Return the price of an answer.

        Args:
            usage: Tokens by the names of Inspect's `ModelUsage`; what was cached stands
                beside what was read anew.
        """
        read, write = self.input_cache_read, self.input_cache_write
        cost = usage.get("input_tokens", 0) * self.input
        cost += usage.get("output_tokens", 0) * self.output
        cost += usage.get("input_tokens_cache_read", 0) * (self.input if read is None else read)
        cost += usage.get("input_tokens_cache_write", 0) * (self.input if write is None else write)
        return float(cost) / 1e6


def read_prices(file: Path | None) -> Mapping[str, Price]:
    """Read a table of prices, by model; an empty one where there is no file.

    Raises:
        UsageError: There is no such file, or it is no table of prices.
    """
    if file is None:
        return {}
    try:
        content = core_yaml.load(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise UsageError(f"{file}: {fault.strerror}") from None
    except (core_yaml.YamlError, UnicodeDecodeError) as fault:
        raise UsageError(f"{file}: is no YAML: {fault}") from None
    if not isinstance(content, dict) or not content:
        raise UsageError(f"{file}: write `MODEL: {{input: DOLLARS, output: DOLLARS}}` a model")
    prices = {}
    for model, entry in content.items():
        try:
            prices[str(model)] = Price.model_validate(entry)
        except ValidationError as fault:
            first = fault.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise UsageError(
                f"{file}: model '{model}': {place + ': ' if place else ''}{first['msg']}; give "
                "dollars per million tokens, as input and output"
            ) from None
    return prices
