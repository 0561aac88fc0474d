"""The contract between an episode and the place where its environment lives.

A runtime starts sessions; a session holds one live environment instance. All
that needs the instance itself (calling it, judging it) happens in the session,
and only plain data comes out, so that a session may be another process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from envscaler_eval.state import Change, State

# Workers import this module, and are forked the faster the less they import.
if TYPE_CHECKING:
    from envscaler_eval.environment import Environment
    from envscaler_eval.scenario import Check, Scenario, ToolCall

ObservationForm = Literal["json", "python"]
"""How a tool's result becomes text: JSON, or `str()` as in the EnvScaler paper."""


class EnvironmentFault(Exception):
    """The environment failed, not the agent: it did not start, it died, or it
    holds a state that cannot be judged."""


@dataclass(frozen=True)
class Outcome:
    """What a tool call gave.

    Attributes:
        observation: The text for the agent.
        status: `ok`, `failed` (the tool said `success: False`) or `raised`.
    """

    observation: str
    status: Literal["ok", "failed", "raised"]


@dataclass(frozen=True)
class Verdict:
    """The answer of one check.

    Attributes:
        passed: Whether it returned `True`.
        broken: Why it gave no bool at all; such a check has not passed.
    """

    passed: bool
    broken: str | None = None


@dataclass(frozen=True)
class Judgement:
    """What can be said of a session's state against its initial one.

    Attributes:
        verdicts: One for each check, in order.
        changes: Every difference from the initial state.
        state_hash: SHA-256 of the canonical JSON of the state.
    """

    verdicts: tuple[Verdict, ...]
    changes: tuple[Change, ...]
    state_hash: str


class Session(Protocol):
    """One live environment instance. Every method may raise `EnvironmentFault`."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool that is known to exist."""
        ...

    def state(self) -> State:
        """Return a copy of the current state."""
        ...

    def judge(self, checks: Sequence[Check]) -> Judgement:
        """Run checks on the initial and the current state."""
        ...

    def close(self) -> None:
        """Give up what the session holds. May be called twice."""
        ...


class Runtime(ABC):
    """A place where sessions of one environment run.

    Attributes:
        environment: The environment.
        blocking: Whether calls may take long enough that an event loop should
            not wait for them itself.
        isolation: How far it keeps the environment from doing harm, for logs.
    """

    blocking: bool
    isolation: str

    def __init__(self, environment: Environment) -> None:
        """Prepare to run an environment."""
        self.environment = environment
        self._references: dict[str, tuple[tuple[ToolCall, ...], tuple[Change, ...]]] = {}

    @abstractmethod
    def start(
        self, state: State, now: str, seed: str, observations: ObservationForm = "json"
    ) -> Session:
        """Start a session.

        Args:
            state: The initial state. It is copied.
            now: The clock's start, ISO 8601, read as UTC.
            seed: Fixes everything random.
            observations: The form of the tools' results.

        Raises:
            EnvironmentFault: The environment does not start.
        """

    @abstractmethod
    def verdicts(
        self, checks: Sequence[Check], initial: State, final: State, now: str
    ) -> tuple[Verdict, ...]:
        """Run checks on two states that are at hand.

        Args:
            checks: The checks, in order.
            initial: The state before the first call; left as it is.
            final: The state to judge; left as it is.
            now: Where the checks' clock stands.
        """

    @abstractmethod
    def lines_run(self) -> AbstractContextManager[Set[int]]:
        """Collect the lines of the program that run in sessions meanwhile.

        A session counts when it is started and closed within, in this thread.
        """

    def start_scenario(
        self, scenario: Scenario, seed: int, observations: ObservationForm = "json"
    ) -> Session:
        """Start a session at the beginning of a scenario."""
        return self.start(
            scenario.state, scenario.now, f"{scenario.name}#{seed}", observations=observations
        )

    def reference_changes(self, scenario: Scenario) -> tuple[Change, ...]:
        """Return what the scenario's reference solution changes; computed once."""
        # A scenario that is being made may get another solution under its name.
        solution, known = self._references.get(scenario.id, (None, ()))
        if solution != scenario.solution:
            known = self._replay(scenario, scenario.solution)
            self._references[scenario.id] = scenario.solution, known
        return known

    def _replay(self, scenario: Scenario, calls: Sequence[ToolCall]) -> tuple[Change, ...]:
        session = self.start_scenario(scenario, seed=0)
        try:
            for call in calls:
                session.call(call.name, call.arguments)
            return session.judge(()).changes
        finally:
            session.close()
