"""Sessions in this very process, for environments that are trusted."""

import json
import marshal
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_eval.environment import Environment
from envscaler_eval.runtime.checking import run_checks
from envscaler_eval.runtime.determinism import Clock, DeterministicModules
from envscaler_eval.runtime.runtime import (
    EnvironmentFault,
    Judgement,
    ObservationForm,
    Outcome,
    Runtime,
)
from envscaler_eval.scenario import Check
from envscaler_eval.state import (
    State,
    UnserialisableStateError,
    changes,
    plain,
    snapshot,
    state_hash,
)


class InProcessRuntime(Runtime):
    """Runs an environment in the calling process: fast, and with no protection."""

    blocking = False

    def __init__(self, environment: Environment) -> None:
        """Prepare to run an environment."""
        super().__init__(environment)
        self._starts: dict[int, InitialState] = {}

    def start(
        self, state: State, now: str, seed: str, observations: ObservationForm = "json"
    ) -> "InProcessSession":
        """Start a session; see `Runtime.start`."""
        start = self._starts.get(id(state))
        if start is None:
            start = self._starts[id(state)] = InitialState(state)
        return InProcessSession(self.environment, start, now, seed, observations)


class InitialState:
    """An initial state, kept in the form that copies fastest.

    Attributes:
        state: The state itself, never modified.
    """

    def __init__(self, state: State) -> None:
        """Keep a state of plain data."""
        self.state = state
        self._frozen = marshal.dumps(state)

    def copy(self) -> State:
        """Return a deep copy."""
        copied: State = marshal.loads(self._frozen)
        return copied


class InProcessSession:
    """A live instance in this process. The program is executed anew for each
    session, so that not even its class attributes are shared."""

    def __init__(
        self,
        environment: Environment,
        start: InitialState,
        now: str,
        seed: str,
        observations: ObservationForm,
    ) -> None:
        """Execute the program and give the instance its initial state.

        Raises:
            EnvironmentFault: The program raises.
        """
        self._clock = Clock(now)
        self._modules = DeterministicModules(self._clock, seed)
        self._render = _as_json if observations == "json" else str
        namespace: dict[str, Any] = {
            "__builtins__": self._modules.builtins,
            "__name__": f"environment_{environment.id}",
        }
        try:
            exec(environment.code, namespace)
            self._instance = _construct(namespace[environment.class_name], environment, start)
            self._initial = _initial_attributes(self._instance, start)
        except (Exception, SystemExit) as fault:
            raise EnvironmentFault(
                f"environment '{environment.id}' does not start: {describe(fault)}"
            ) from None

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool; what it raises becomes an observation without traceback."""
        self._clock.advance(1)
        try:
            result = getattr(self._instance, name)(**snapshot(dict(arguments)))
            observation = self._render(result)
        except (Exception, SystemExit) as fault:
            failure = {"success": False, "error": f"{name} raised {describe(fault)}"}
            return Outcome(_as_json(failure), "raised")
        succeeded = not isinstance(result, dict) or result.get("success") is not False
        return Outcome(observation, "ok" if succeeded else "failed")

    def state(self) -> State:
        """Return a copy of the attributes of the instance."""
        return snapshot(_attributes(self._instance))

    def judge(self, checks: Sequence[Check]) -> Judgement:
        """Run the checks on copies of the initial and the current state."""
        final = _attributes(self._instance)
        try:
            return Judgement(
                verdicts=run_checks(checks, self._initial, final, self._modules.builtins),
                changes=tuple(changes(self._initial, final)),
                state_hash=state_hash(final),
            )
        except UnserialisableStateError as fault:
            raise EnvironmentFault(f"the final state cannot be judged: {fault}") from None

    def close(self) -> None:
        """Let go of the state at once rather than at the next garbage collection."""
        vars(self._instance).clear()


def describe(fault: BaseException) -> str:
    """Name an exception and its message in one short line, without traceback."""
    lines = str(fault).splitlines()
    return f"{type(fault).__name__}: {lines[0][:200]}" if lines else type(fault).__name__


def _construct(program: Any, environment: Environment, start: InitialState) -> Any:
    """Make the instance: `__init__(init_config)` or `__init__()`, then one
    attribute for each key, the order in which EnvScaler builds its environments."""
    state = start.copy()
    if environment.constructor_parameters:
        given = start.copy() if environment.constructor_reads_state else state
        instance = program(given)
    else:
        instance = program()
    for key, value in state.items():
        setattr(instance, key, value)
    return instance


def _initial_attributes(instance: Any, start: InitialState) -> State:
    """Describe the instance at its start, sharing what it took over unchanged."""
    attributes = _attributes(instance)
    for key, value in start.state.items():
        if attributes.get(key) != value:
            return snapshot(attributes)
    own = {key: value for key, value in attributes.items() if key not in start.state}
    return {**snapshot(own), **start.state}


def _attributes(instance: Any) -> State:
    return {
        key: value
        for key, value in vars(instance).items()
        if not (key.startswith("__") and key.endswith("__"))
    }


def _as_json(result: object) -> str:
    try:
        return json.dumps(result, ensure_ascii=False, default=plain)
    except (TypeError, ValueError):
        return str(result)
