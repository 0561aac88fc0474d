"""Sessions in this very process, for environments that are trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from envscaler_eval.program import Program
from envscaler_eval.runtime.checking import CheckSetting, run_checks
from envscaler_eval.runtime.determinism import Clock, DeterministicModules
from envscaler_eval.runtime.initial_state import InitialState
from envscaler_eval.runtime.runtime import (
    EnvironmentFault,
    Judgement,
    ObservationForm,
    Outcome,
    Runtime,
    Verdict,
)
from envscaler_eval.runtime.tracing import LineTracer
from envscaler_eval.state import (
    State,
    UnserialisableStateError,
    canonical_data,
    changes,
    plain,
    snapshot,
    state_hash,
    text_hash,
)

if TYPE_CHECKING:
    from envscaler_eval.environment import Environment
    from envscaler_eval.scenario import Check


# `json.dumps` with options makes one at each call.
_JSON = json.JSONEncoder(ensure_ascii=False, default=plain)
_JSON_WITHOUT_CYCLES = json.JSONEncoder(ensure_ascii=False, default=plain, check_circular=False)


class InProcessRuntime(Runtime):
    """Runs an environment in the calling process: fast, and with no protection."""

    blocking = False
    isolation = "in_process"

    def __init__(self, environment: Environment) -> None:
        """Prepare to run an environment."""
        super().__init__(environment)
        self._starts: dict[int, tuple[State, InitialState]] = {}

    def start(
        self, state: State, now: str, seed: str, observations: ObservationForm = "json"
    ) -> InProcessSession:
        """Start a session; see `Runtime.start`."""
        known = self._starts.get(id(state))
        if known is None:
            # The state is kept so that its id stays its own.
            known = self._starts[id(state)] = state, InitialState(state)
        program = compiled_program(self.environment)
        return InProcessSession(program, known[1], now, seed, observations)

    def verdicts(
        self, checks: Sequence[Check], initial: State, final: State, now: str
    ) -> tuple[Verdict, ...]:
        """Run checks on two states; see `Runtime.verdicts`."""
        only_data = all(canonical_data(state) is not None for state in (initial, final))
        setting = CheckSetting(now, self.environment.id)
        return run_checks(checks, initial, final, setting, only_data=only_data)

    @contextmanager
    def lines_run(self) -> Iterator[Set[int]]:
        """Collect the lines that run; see `Runtime.lines_run`."""
        with LineTracer(compiled_program(self.environment).code) as tracer:
            yield tracer.lines


def compiled_program(environment: Environment) -> Program:
    """Return the program of an environment.

    Raises:
        EnvironmentFault: It parses but does not compile.
    """
    try:
        return environment.program
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise EnvironmentFault(
            f"environment '{environment.id}' does not start: {describe(fault)}"
        ) from None


class InProcessSession:
    """A live instance in this process. The program is executed anew for each
    session, so that not even its class attributes are shared."""

    def __init__(
        self,
        program: Program,
        start: InitialState,
        now: str,
        seed: str,
        observations: ObservationForm,
        fatal: tuple[type[Exception], ...] = (),
    ) -> None:
        """Execute the program and give the instance its initial state.

        Args:
            program: The environment's program.
            start: The initial state.
            now: The clock's start.
            seed: Fixes everything random.
            observations: The form of the tools' results.
            fatal: Exceptions in a tool that are no observations but are raised.

        Raises:
            EnvironmentFault: The program raises.
        """
        self._fatal = fatal
        self._checks = CheckSetting(now, seed)
        self._clock = Clock(now)
        self._modules = DeterministicModules(self._clock, seed)
        self._render = _as_json if observations == "json" else str
        namespace: dict[str, Any] = {
            "__builtins__": self._modules.builtins,
            "__name__": f"environment_{program.id}",
        }
        try:
            exec(program.code, namespace)
            self._instance = _construct(namespace[program.class_name], program, start)
            self._own = snapshot(_own_attributes(self._instance, start))
            self._initial = {**self._own, **start.state}
        except (Exception, SystemExit) as fault:
            raise EnvironmentFault(
                f"environment '{program.id}' does not start: {describe(fault)}"
            ) from None

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool; what it raises becomes an observation without traceback."""
        self._clock.advance(1)
        try:
            result = getattr(self._instance, name)(**snapshot(dict(arguments)))
            observation = self._render(result)
            succeeded = not isinstance(result, dict) or result.get("success") is not False
        except self._fatal:
            raise
        except (Exception, SystemExit) as fault:
            failure = {"success": False, "error": f"{name} raised {describe(fault)}"}
            return Outcome(_as_json(failure), "raised")
        return Outcome(observation, "ok" if succeeded else "failed")

    def state(self) -> State:
        """Return a copy of the attributes of the instance."""
        return snapshot(_attributes(self._instance))

    def judge(self, checks: Sequence[Check]) -> Judgement:
        """Run the checks on copies of the initial and the current state."""
        final = _attributes(self._instance)
        try:
            text = canonical_data(final)
            only_data = text is not None and canonical_data(self._own) is not None
            return Judgement(
                verdicts=run_checks(
                    checks, self._initial, final, self._checks, only_data=only_data
                ),
                changes=tuple(changes(self._initial, final)),
                state_hash=state_hash(final) if text is None else text_hash(text),
            )
        except UnserialisableStateError as fault:
            raise EnvironmentFault(f"the final state cannot be judged: {fault}") from None

    def attributes(self) -> State:
        """Return the attributes of the instance themselves, not copies."""
        return _attributes(self._instance)

    def own_attributes(self) -> State:
        """Return what the program held at its start beside the scenario's state.

        The scenario's part of the initial state is never asked of the program,
        which might tell it otherwise.
        """
        return self._own

    def close(self) -> None:
        """Let go of the state at once rather than at the next garbage collection."""
        vars(self._instance).clear()


def describe(fault: BaseException) -> str:
    """Name an exception and its message in one short line, without traceback."""
    try:
        lines = str(fault).splitlines()
    except Exception:
        lines = []
    return f"{type(fault).__name__}: {lines[0][:200]}" if lines else type(fault).__name__


def _construct(make: Any, program: Program, start: InitialState) -> Any:
    """Make the instance: `__init__(init_config)` or `__init__()`, then one
    attribute for each key, the order in which EnvScaler builds its environments."""
    state = start.copy()
    if program.constructor_parameters:
        given = start.copy() if program.constructor_reads_state else state
        instance = make(given)
    else:
        instance = make()
    for key, value in state.items():
        setattr(instance, key, value)
    return instance


def _own_attributes(instance: Any, start: InitialState) -> State:
    return {key: value for key, value in _attributes(instance).items() if key not in start.state}


def _attributes(instance: Any) -> State:
    return {
        key: value
        for key, value in vars(instance).items()
        if not (key.startswith("__") and key.endswith("__"))
    }


def _as_json(result: object) -> str:
    try:
        try:
            return _JSON_WITHOUT_CYCLES.encode(result)
        except RecursionError:
            # A cycle, or depth alone; the slower encoder tells them apart.
            return _JSON.encode(result)
    except (TypeError, ValueError):
        return str(result)
