"""What the models of a run will read and write, by environment."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from envscaler_eval.estimate.dialogue import Dialogue, Generation

Side = Literal["agent", "user"]


@dataclass(frozen=True)
class Assumptions:
    """What the reference solution cannot tell about a real model.

    Attributes:
        factor: How many generations the model takes for each one of the
            reference solution. Its history grows by as much each time.
        thinking: Tokens that the agent writes in each generation beside what
            the reference solution says.
        keeps_thinking: Whether it reads these again in each later generation.
        trials: How often each sample is run.
    """

    factor: float = 1.0
    thinking: int = 0
    keeps_thinking: bool = True
    trials: int = 1


@dataclass(frozen=True)
class Row:
    """What one side will take, all trials together.

    Attributes:
        label: The environment.
        side: Who generates.
        episodes: Samples times trials.
        calls: Generations.
        read: Input tokens.
        repeated: Those of them that the generation before had read, so that a
            provider may have them in its cache.
        written: Output tokens.
    """

    label: str
    side: Side
    episodes: int = 0
    calls: int = 0
    read: float = 0.0
    repeated: float = 0.0
    written: float = 0.0

    def plus(self, other: "Row") -> "Row":
        """Return the sum under this row's label."""
        return Row(
            self.label,
            self.side,
            self.episodes + other.episodes,
            self.calls + other.calls,
            self.read + other.read,
            self.repeated + other.repeated,
            self.written + other.written,
        )


def estimate(dialogues: Iterable[tuple[str, Dialogue]], assumptions: Assumptions) -> list[Row]:
    """Sum up dialogues by environment and side, in the order in which they come.

    Args:
        dialogues: Environments, each with the dialogue of one sample.
        assumptions: What holds for the model.
    """
    rows: dict[tuple[str, Side], Row] = {}
    for label, dialogue in dialogues:
        sides: tuple[tuple[Side, Sequence[Generation]], ...] = (
            ("agent", dialogue.agent),
            ("user", dialogue.user),
        )
        for side, generations in sides:
            if generations:
                row = _row(label, side, generations, assumptions)
                rows[label, side] = rows.get((label, side), Row(label, side)).plus(row)
    return list(rows.values())


def _row(label: str, side: Side, generations: Sequence[Generation], given: Assumptions) -> Row:
    calls = max(1, round(len(generations) * given.factor))
    reads = _stretched([generation.read.tokens for generation in generations], calls)
    written = sum(generation.written.tokens for generation in generations) / len(generations)
    if side == "agent":
        written += given.thinking
        if given.keeps_thinking:
            reads = [read + place * given.thinking for place, read in enumerate(reads)]
    return Row(
        label,
        side,
        episodes=given.trials,
        calls=calls * given.trials,
        read=sum(reads) * given.trials,
        repeated=sum(reads[:-1]) * given.trials,
        written=written * calls * given.trials,
    )


def _stretched(reads: Sequence[float], calls: int) -> list[float]:
    """Return what each of so many generations reads, growing as fast at each place."""
    last = len(reads) - 1
    if last == 0 or calls == 1:
        return [reads[0]] * calls
    pace = last / (calls - 1)
    stretched = []
    for call in range(calls):
        place = call * pace
        before = min(int(place), last - 1)
        grown = reads[before] + (place - before) * (reads[before + 1] - reads[before])
        stretched.append(reads[0] + (grown - reads[0]) / pace)
    return stretched
