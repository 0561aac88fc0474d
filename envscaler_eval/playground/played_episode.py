"""An episode in a person's hands: calls that can be taken back, and the way shown."""

import contextlib
from dataclasses import dataclass
from typing import Any

from envscaler_eval.episode import CallStatus, Episode, Grade
from envscaler_eval.playground.differences import Difference, differences
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Scenario, ToolCall
from envscaler_eval.solvers.protocol import PROTOCOLS, Protocol
from envscaler_eval.state import State


class TooManyCalls(Exception):
    """The episode has had as many calls as one may have."""


@dataclass(frozen=True)
class Step:
    """A call that was made, and what came of it.

    Attributes:
        call: The call.
        status: How it went.
        observation: What an agent reads.
        differences: What it changed.
    """

    call: ToolCall
    status: CallStatus
    observation: str
    differences: tuple[Difference, ...]


class PlayedEpisode:
    """A scenario being played by hand.

    Taking a call back plays all others again from the start, which leads to the same
    state: an episode is a function of its calls.

    Attributes:
        scenario: The scenario.
        steps: What was done so far.
        state: The state it has led to. Not to be modified.
        grade: The grade, once asked for and until the next call.
    """

    def __init__(
        self,
        scenario: Scenario,
        runtime: Runtime,
        calls: int,
        seed: int = 0,
        protocol: Protocol = PROTOCOLS["default"],
    ) -> None:
        """Start at the beginning of a scenario.

        Args:
            scenario: The scenario.
            runtime: Where its environment runs.
            calls: How many calls it takes at most.
            seed: Fixes everything random.
            protocol: By whose rules tools are called and answer.

        Raises:
            EnvironmentFault: The environment does not start.
        """
        self.scenario = scenario
        self.steps: list[Step] = []
        self.grade: Grade | None = None
        self._runtime = runtime
        self._limit = calls
        self._seed = seed
        self._protocol = protocol
        self._episode = self._fresh()
        self.state: State = self._episode.state()

    def call(self, name: str, arguments: dict[str, Any]) -> Step:
        """Call a tool.

        Raises:
            TooManyCalls: There were too many already.
        """
        if len(self.steps) >= self._limit:
            raise TooManyCalls(
                f"an episode takes at most {self._limit} calls; undo some or start again"
            )
        step = self._make(ToolCall(name=name, arguments=arguments))
        self.grade = None
        return step

    def undo(self) -> None:
        """Take the last call back, if there is one."""
        self._restart([step.call for step in self.steps[:-1]])

    def reset(self) -> None:
        """Take all calls back."""
        self._restart([])

    @property
    def next_of_solution(self) -> ToolCall | None:
        """The next call of the reference solution, while all calls so far are its own."""
        done = [(step.call.name, step.call.arguments) for step in self.steps]
        solution = self.scenario.solution
        if done != [(call.name, call.arguments) for call in solution[: len(done)]]:
            return None
        return solution[len(done)] if len(done) < len(solution) else None

    def follow_solution(self) -> Step | None:
        """Make the next call of the reference solution; from its start, after calls of one's own.

        Returns:
            The step, or `None` where the scenario has no solution.

        Raises:
            EnvironmentFault: The environment itself has failed.
        """
        call = self.next_of_solution
        if call is None and self.scenario.solution:
            self.reset()
            call = self.scenario.solution[0]
        return self.call(call.name, call.arguments) if call is not None else None

    def judge(self) -> Grade:
        """Grade the state as it stands.

        Raises:
            EnvironmentFault: It cannot be judged.
        """
        self.grade = self._episode.grade()
        return self.grade

    def close(self) -> None:
        """Give up the environment. May be called twice."""
        self._episode.close()

    def _fresh(self) -> Episode:
        return Episode(
            self.scenario,
            self._runtime,
            self._seed,
            observations=self._protocol.observations,
            validate=self._protocol.validate,
        )

    def _restart(self, calls: list[ToolCall]) -> None:
        fresh = self._fresh()
        self._episode.close()
        self._episode = fresh
        self.state = fresh.state()
        self.steps = []
        self.grade = None
        for call in calls:
            self._make(call)

    def _make(self, call: ToolCall) -> Step:
        observation = self._episode.call(call.name, call.arguments)
        before = self.state
        # An environment that a call has stopped tells so itself, and its last state is what
        # there is: the call can be taken back like any other.
        with contextlib.suppress(EnvironmentFault):
            self.state = self._episode.state()
        step = Step(
            call,
            self._episode.calls[-1].status,
            observation,
            tuple(differences(before, self.state)),
        )
        self.steps.append(step)
        return step
