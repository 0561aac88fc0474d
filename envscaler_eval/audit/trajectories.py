"""Call lists played to their end, for comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_eval.episode import CallStatus, Episode, Grade
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario, ToolCall
from envscaler_eval.state import State, state_hash


@dataclass(frozen=True)
class Trajectory:
    """What a list of calls led to.

    Attributes:
        label: What the list is, for people.
        calls: The calls.
        statuses: How each went.
        observations: What each gave.
        writes: Positions of the calls that changed the state.
        final: The state at the end.
        grade: Its grade.
    """

    label: str
    calls: tuple[ToolCall, ...]
    statuses: tuple[CallStatus, ...]
    observations: tuple[str, ...]
    writes: tuple[int, ...]
    final: State
    grade: Grade

    @property
    def smooth(self) -> bool:
        """Whether every call succeeded."""
        return all(status == "ok" for status in self.statuses)


def trajectory(
    label: str,
    scenario: Scenario,
    runtime: Runtime,
    calls: Sequence[ToolCall],
    *,
    seed: int = 0,
    find_writes: bool = False,
) -> Trajectory:
    """Play calls from the start of a scenario and grade the end.

    Args:
        label: What the calls are.
        scenario: The scenario.
        runtime: Where its environment runs.
        calls: The calls.
        seed: The episode's seed.
        find_writes: Look at the state after each call; without it `writes` is
            empty.
    """
    observations = []
    writes = []
    with Episode(scenario, runtime, seed) as episode:
        before = state_hash(episode.state()) if find_writes else ""
        for position, call in enumerate(calls):
            observations.append(episode.call(call.name, call.arguments))
            if find_writes:
                after = state_hash(episode.state())
                if after != before:
                    writes.append(position)
                before = after
        return Trajectory(
            label=label,
            calls=tuple(calls),
            statuses=tuple(record.status for record in episode.calls),
            observations=tuple(observations),
            writes=tuple(writes),
            final=episode.state(),
            grade=episode.grade(),
        )


def shown(call: ToolCall) -> str:
    """Return a call as a person would write it."""
    arguments = ", ".join(f"{name}={_short(value)}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
