"""What answers cost, in tokens and in dollars."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envscaler_eval.prices import Price


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

    def add(self, record: Mapping[str, Any], prices: Mapping[str, Price]) -> None:
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
            self.dollars += prices[record["model"]].of_usage(usage)
        else:
            self.unpriced.add(record["model"])

    @property
    def known_dollars(self) -> float | None:
        """The dollars, or `None` when some of them are unknown."""
        return None if self.unpriced else self.dollars

    def each(self, count: int) -> float | None:
        """Return the dollars for each of so many things, if known."""
        return self.dollars / count if count and not self.unpriced else None
