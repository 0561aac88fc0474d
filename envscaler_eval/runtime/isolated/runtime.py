"""The runtime for environments that are not trusted."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from envscaler_eval.runtime.checking import compiled_check
from envscaler_eval.runtime.confined.encoding import DecodeError, EncodeError, decode, encode
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.gate import require_harmless_check, require_harmless_program
from envscaler_eval.runtime.in_process import compiled_program
from envscaler_eval.runtime.isolated.server import SharedServer, shared_server
from envscaler_eval.runtime.isolated.session import IsolatedSession
from envscaler_eval.runtime.isolated.worker import Worker, WorkerFault, WorkerRefusal
from envscaler_eval.runtime.runtime import (
    EnvironmentFault,
    Judgement,
    ObservationForm,
    Runtime,
    Session,
    Verdict,
)
from envscaler_eval.state import Change, State

if TYPE_CHECKING:
    from envscaler_eval.environment import Environment
    from envscaler_eval.scenario import Check, Scenario

_REASON_CHARACTERS = 300


class IsolatedRuntime(Runtime):
    """Runs each session in a confined process of its own, and each judgement in another."""

    blocking = True

    def __init__(
        self,
        environment: Environment,
        limits: Limits | None = None,
        *,
        gate: bool = True,
        server: SharedServer | None = None,
    ) -> None:
        """Prepare to run an environment.

        Args:
            environment: The environment.
            limits: The bounds of a worker.
            gate: Whether programs and checks must pass the static gate first.
                Without it the other walls stand alone.
            server: Where workers come from; by default the one of this process.

        Raises:
            GateError: The program does what isolated code may not do.
        """
        super().__init__(environment)
        self._limits = limits or Limits()
        self._gate = gate
        self._server = server or shared_server()
        self._states: dict[int, tuple[State, bytes]] = {}
        self._code: bytes | None = None
        self._lines: set[int] | None = None
        if gate:
            require_harmless_program(environment.id, environment.source, environment.scratch)

    @property
    def isolation(self) -> str:  # type: ignore[override]
        """`isolated`, and what is missing where the machine is weak."""
        missing = self._server.get().walls.missing
        return f"isolated, weakly: no {', no '.join(missing)}" if missing else "isolated"

    def start(
        self, state: State, now: str, seed: str, observations: ObservationForm = "json"
    ) -> Session:
        """Start a session; see `Runtime.start`."""
        given = self._encoded(state)
        program = compiled_program(self.environment)
        if self._code is None:
            self._code = marshal.dumps(program.code)
        setting = {
            "program": {
                "id": program.id,
                "class_name": program.class_name,
                "constructor_parameters": program.constructor_parameters,
                "constructor_reads_state": program.constructor_reads_state,
            },
            "now": now,
            "seed": seed,
            "observations": observations,
            "traced": self._lines is not None,
        }

        def judge(checks: Sequence[Check], own: bytes, final: bytes) -> Judgement:
            return self._judge(checks, encode({"now": now, "seed": seed}), given, own, final)

        try:
            worker = self._server.get().fork("tools", self._limits, self.environment.scratch)
        except WorkerFault as fault:
            raise EnvironmentFault(
                f"environment '{self.environment.id}' does not start: its worker {fault}"
            ) from None
        return IsolatedSession(
            self.environment.id,
            worker,
            [encode(setting), self._code, given],
            self._limits,
            judge,
            self._lines,
        )

    def verdicts(
        self, checks: Sequence[Check], initial: State, final: State, now: str
    ) -> tuple[Verdict, ...]:
        """Run checks on two states; see `Runtime.verdicts`."""
        setting = encode({"now": now, "seed": self.environment.id})
        return self._judge(
            checks, setting, self._encoded(initial), encode({}), encode(final)
        ).verdicts

    @contextmanager
    def lines_run(self) -> Iterator[Set[int]]:
        """Collect the lines that run; see `Runtime.lines_run`."""
        self._lines = set()
        try:
            yield self._lines
        finally:
            self._lines = None

    def start_scenario(
        self, scenario: Scenario, seed: int, observations: ObservationForm = "json"
    ) -> Session:
        """Start a session, once the scenario's checks have passed the gate.

        Raises:
            GateError: A check does what isolated code may not do.
        """
        self._admit(scenario.checks)
        return super().start_scenario(scenario, seed, observations)

    def _admit(self, checks: Sequence[Check]) -> None:
        if self._gate:
            for check in checks:
                require_harmless_check(check.about, check.code)

    def _encoded(self, state: State) -> bytes:
        known = self._states.get(id(state))
        if known is None:
            try:
                # The state is kept so that its id stays its own.
                known = self._states[id(state)] = state, encode(state)
            except EncodeError as fault:
                raise EnvironmentFault(f"the initial state has no plain form: {fault}") from None
        return known[1]

    def _judge(
        self, checks: Sequence[Check], setting: bytes, given: bytes, own: bytes, final: bytes
    ) -> Judgement:
        """Judge in a process that has never run the program.

        A check that breaks its limits or the process is broken, and the next
        ones go to another process.
        """
        self._admit(checks)
        frames = [setting, given, own, final]
        judge, compared = self._convene(frames)
        verdicts: list[Verdict] = []
        try:
            for check in checks:
                if judge.ended:
                    judge, _ = self._convene(frames)
                try:
                    verdicts.append(_ask_check(judge, check, self._limits))
                except (WorkerFault, WorkerRefusal) as fault:
                    verdicts.append(Verdict(False, str(fault)))
                    judge.drop()
        finally:
            judge.drop()
        return _judgement(compared, verdicts)

    def _convene(self, frames: Sequence[bytes]) -> tuple[Worker, bytes]:
        """Return a judge that has compared the states, and what it found."""
        try:
            judge = self._server.get().fork("judge", self._limits)
            try:
                return judge, judge.ask(
                    frames, self._limits.call_seconds, self._limits.call_cpu_seconds
                )
            except BaseException:
                judge.drop()
                raise
        except (WorkerFault, WorkerRefusal) as fault:
            raise EnvironmentFault(f"the final state cannot be judged: {fault}") from None


def _ask_check(judge: Worker, check: Check, limits: Limits) -> Verdict:
    """Let a judge run a check.

    Raises:
        WorkerFault: The check has broken its limits or the process, or has
            answered in a form of its own.
    """
    code = marshal.dumps(compiled_check(check.code))
    answer = judge.ask([code], limits.check_seconds, limits.check_cpu_seconds)
    try:
        match decode(answer):
            case [bool() as passed, None]:
                return Verdict(passed)
            case [False, str() as broken]:
                return Verdict(False, broken[:_REASON_CHARACTERS])
    except DecodeError:
        pass
    raise WorkerFault("gave an answer that no one can read")


def _judgement(compared: bytes, verdicts: Sequence[Verdict]) -> Judgement:
    found: Any = decode(compared)
    changed = (Change(tuple(map(str, path)), kind) for path, kind in found["changes"])
    return Judgement(tuple(verdicts), tuple(changed), str(found["state_hash"]))
