"""An episode: one attempt at a scenario, and its grade.

The one object through which agents, auditors, exports and people act on an
environment. It holds no model, no prompt and no harness. An episode is a pure
function of (scenario, seed, calls), so that replaying the calls grades anew.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Literal

from envscaler_eval.allowance import Allowance
from envscaler_eval.runtime import ObservationForm, Runtime, Verdict
from envscaler_eval.scenario import Check, Scenario
from envscaler_eval.state import State, UnserialisableStateError, require_plain
from envscaler_eval.world import ToolSpec

CallStatus = Literal["ok", "failed", "raised", "invalid", "unknown"]
"""`failed`: the tool refused; `raised`: it broke; `invalid`: the arguments do
not fit the schema; `unknown`: there is no such tool. The last two never reach
the environment."""

_FAULTS_SHOWN = 3
_LONGEST_FAULT = 300


@dataclass(frozen=True)
class CallRecord:
    """A call that was made, and how it went."""

    name: str
    arguments: dict[str, Any]
    status: CallStatus


@dataclass(frozen=True)
class CheckResult:
    """A check and its answer on the final state."""

    about: str
    kind: Literal["goal", "guard"]
    passed: bool
    broken: str | None


@dataclass(frozen=True)
class Grade:
    """How an episode ended.

    Attributes:
        checks: The explicit checks, in the scenario's order.
        collateral: JSON pointers of changes that the scenario does not grant.
        implicit_guard: Whether such changes cost reward.
        state_hash: SHA-256 of the final state.
    """

    checks: tuple[CheckResult, ...]
    collateral: tuple[str, ...]
    implicit_guard: bool
    state_hash: str

    @property
    def graded(self) -> bool:
        """Whether there is anything to grade by."""
        return bool(self.checks)

    @cached_property
    def reward(self) -> float:
        """(goals passed / goals) x (1 + guards kept) / (1 + guards), in [0, 1]."""
        goals = [check.passed for check in self.checks if check.kind == "goal"]
        guards = [check.passed for check in self.checks if check.kind == "guard"]
        if self.implicit_guard:
            guards.append(not self.collateral)
        if not goals:
            return 0.0
        return sum(goals) / len(goals) * (1 + sum(guards)) / (1 + len(guards))

    @property
    def success(self) -> bool:
        """Whether all goals are reached and all guards kept."""
        return self.reward == 1.0

    @property
    def paper_reward(self) -> float:
        """Checks passed / all explicit checks (EnvScaler, arXiv 2601.05808)."""
        if not self.checks:
            return 0.0
        return sum(check.passed for check in self.checks) / len(self.checks)

    @property
    def broken(self) -> tuple[CheckResult, ...]:
        """The checks that gave no answer."""
        return tuple(check for check in self.checks if check.broken)


class Episode:
    """A scenario being attempted. A `World`, and a context manager."""

    def __init__(
        self,
        scenario: Scenario,
        runtime: Runtime,
        seed: int = 0,
        *,
        observations: ObservationForm = "json",
        validate: bool = True,
    ) -> None:
        """Start at the beginning of a scenario.

        Args:
            scenario: The scenario.
            runtime: Where its environment runs.
            seed: Fixes everything random, together with the scenario.
            observations: The form of observations.
            validate: Refuse arguments that do not fit the tool's schema. Without
                it they reach the tool, as in the EnvScaler paper.

        Raises:
            EnvironmentFault: The environment does not start.
        """
        self.scenario = scenario
        self.seed = seed
        self._runtime = runtime
        self._validators = runtime.environment.validators
        self._validate = validate
        self._calls: list[CallRecord] = []
        self._closed = False
        self._session = runtime.start_scenario(scenario, seed, observations)

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools of the environment."""
        return self._runtime.environment.tools

    @property
    def blocking(self) -> bool:
        """Whether calls may keep an event loop waiting."""
        return self._runtime.blocking

    @property
    def isolation(self) -> str:
        """How far the environment is kept from doing harm; see `Runtime`."""
        return self._runtime.isolation

    @property
    def calls(self) -> Sequence[CallRecord]:
        """The calls made so far."""
        return self._calls

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation; the agent's faults are observations.

        Raises:
            ValueError: The episode is closed.
            EnvironmentFault: The environment itself has failed.
        """
        self._require_open()
        arguments = dict(arguments)
        observation, status = self._dispatch(name, arguments)
        self._calls.append(CallRecord(name, arguments, status))
        return observation

    def _dispatch(self, name: str, arguments: dict[str, Any]) -> tuple[str, CallStatus]:
        validator = self._validators.get(name)
        if validator is None:
            return _refusal(f"There is no tool named '{name}'"), "unknown"
        try:
            require_plain(arguments)
        except UnserialisableStateError as fault:
            return _refusal(f"Invalid arguments for {name}: {fault}"), "invalid"
        if self._validate and not validator.is_valid(arguments):
            faults = [
                f"{_place(error.instance_path)}{_shortened(error.message)}"
                for error in validator.iter_errors(arguments)
            ]
            told = "; ".join(faults[:_FAULTS_SHOWN])
            return _refusal(f"Invalid arguments for {name}: {told}"), "invalid"
        outcome = self._session.call(name, arguments)
        return outcome.observation, outcome.status

    def state(self) -> State:
        """Return a copy of the current state."""
        self._require_open()
        return self._session.state()

    def grade(self) -> Grade:
        """Judge the current state.

        Raises:
            EnvironmentFault: The state cannot be judged.
        """
        self._require_open()
        checks = self.scenario.checks
        judgement = self._session.judge(checks)
        collateral: tuple[str, ...] = ()
        if self.scenario.collateral and judgement.changes:
            allowance = Allowance(
                self._runtime.reference_changes(self.scenario), self.scenario.may_change
            )
            collateral = tuple(change.pointer for change in allowance.collateral(judgement.changes))
        return Grade(
            checks=tuple(map(_result, checks, judgement.verdicts)),
            collateral=collateral,
            implicit_guard=self.scenario.collateral,
            state_hash=judgement.state_hash,
        )

    def close(self) -> None:
        """Give up the environment. May be called twice."""
        self._closed = True
        self._session.close()

    def _require_open(self) -> None:
        if self._closed:
            raise ValueError(f"the episode of {self.scenario.name} is closed")

    def __enter__(self) -> "Episode":
        """Return the episode itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()


def _refusal(message: str) -> str:
    return json.dumps({"success": False, "error": message}, ensure_ascii=False)


def _place(path: Iterable[str | int]) -> str:
    keys = ".".join(map(str, path))
    return f"'{keys}': " if keys else ""


def _shortened(message: str) -> str:
    """Cut the middle out of a long message: it quotes the value, then names the fault."""
    if len(message) <= _LONGEST_FAULT:
        return message
    half = _LONGEST_FAULT // 2
    return f"{message[:half]} ... {message[-half:]}"


def _result(check: Check, verdict: Verdict) -> CheckResult:
    return CheckResult(check.about, check.kind, verdict.passed, verdict.broken)
