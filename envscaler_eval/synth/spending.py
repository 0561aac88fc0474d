"""What answers cost, in tokens and in dollars."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.model_fault import first_fault

_MILLION = 1_000_000


class Price(BaseModel):
    """Dollars for a million tokens.

    Attributes:
        input: Of what is read anew.
        output: Of what is written, reasoning included.
        input_cache_read: Of what is read from the provider's cache; by default as `input`.
        input_cache_write: Of what is written into it; by default as `input`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float
    output: float
    input_cache_read: float | None = None
    input_cache_write: float | None = None

    def dollars(self, usage: Mapping[str, Any]) -> float:
        """Return the price of an answer.

        Args:
            usage: Tokens by the names of Inspect's `ModelUsage`.
        """
        read, write = self.input_cache_read, self.input_cache_write
        total = usage.get("input_tokens", 0) * self.input
        total += usage.get("output_tokens", 0) * self.output
        total += usage.get("input_tokens_cache_read", 0) * (self.input if read is None else read)
        total += usage.get("input_tokens_cache_write", 0) * (self.input if write is None else write)
        return float(total) / _MILLION


Prices = Mapping[str, Price]
"""By the model's name, such as `openai/gpt-4.1`."""


def read_prices(file: Path | None) -> Prices:
    """Read a table of prices: YAML or JSON, `MODEL: {input: 2.0, output: 8.0}`.

    Raises:
        UsageError: It is not as it must be.
    """
    if file is None:
        return {}
    try:
        content = core_yaml.load(file.read_text(encoding="utf-8"))
        return TypeAdapter(dict[str, Price]).validate_python(content)
    except OSError as fault:
        raise UsageError(f"{file}: cannot be read: {fault.strerror}") from None
    except core_yaml.YamlError as fault:
        raise UsageError(f"{file}: {fault}; the file must be valid YAML") from None
    except ValidationError as error:
        raise UsageError(f"{file}: {first_fault(error)}") from None


@dataclass
class Spending:
    """What a number of answers have cost.

    Attributes:
        answers: How many there are.
        input_tokens: What models have read, from caches as well.
        output_tokens: What they have written.
        dollars: What that cost, as far as prices are known.
        unpriced: Models without a price, whose answers are not in `dollars`.
    """

    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    unpriced: set[str] = field(default_factory=set)

    def add(self, record: Mapping[str, Any], prices: Prices) -> None:
        """Count an answer.

        Args:
            record: The answer as it is recorded. What Inspect has priced stays so.
            prices: For what it has not.
        """
        usage = record["usage"]
        self.answers += 1
        for kind in ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"):
            self.input_tokens += usage.get(kind, 0)
        self.output_tokens += usage.get("output_tokens", 0)
        if "total_cost" in usage:
            self.dollars += usage["total_cost"]
        elif record["model"] in prices:
            self.dollars += prices[record["model"]].dollars(usage)
        else:
            self.unpriced.add(record["model"])

    @property
    def known_dollars(self) -> float | None:
        """The dollars, or `None` when some of them are unknown."""
        return None if self.unpriced else self.dollars

    def each(self, count: int) -> float | None:
        """Return the dollars for each of so many things, if known."""
        return self.dollars / count if count and not self.unpriced else None
