"""Which environments run isolated, and whether this machine can isolate at all."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypedDict, get_args

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import LIBRARY, Pack
from envscaler_eval.runtime import InProcessRuntime, Runtime
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.confined.walls import Walls
from envscaler_eval.runtime.gate import require_harmless_check
from envscaler_eval.runtime.isolated import IsolatedRuntime, shared_server

IsolationChoice = Literal["auto", "in_process", "isolated"]
"""`auto`: packs of the library in process, all others isolated."""


class IsolationArguments(TypedDict):
    """What tasks, solvers and scorers are told about isolation."""

    isolation: IsolationChoice
    allow_weak_isolation: bool
    limits: dict[str, float] | None


@dataclass(frozen=True)
class IsolationPolicy:
    """How environments are to run.

    Attributes:
        choice: What the user asks for.
        allow_weak: Whether to go on where a required protection is missing.
        limits: The bounds of workers.
    """

    choice: IsolationChoice = "auto"
    allow_weak: bool = False
    limits: Limits = field(default_factory=Limits)

    def isolates(self, pack: Pack) -> bool:
        """Whether a pack runs isolated."""
        if self.choice == "auto":
            return pack.environment.scratch or not is_shipped(pack)
        return self.choice == "isolated"

    def runtime(self, pack: Pack) -> Runtime:
        """Return where a pack runs.

        Raises:
            UsageError: It must not run in process, or cannot run isolated here.
            GateError: Its program does what isolated code may not do.
        """
        if self.isolates(pack):
            self.require_walls(shared_server().get().walls, pack.environment.scratch)
            return IsolatedRuntime(pack.environment, self.limits)
        if pack.environment.scratch:
            raise UsageError(
                f"environment '{pack.info.id}' keeps files, which needs a scratch folder; "
                "run it with isolation=isolated"
            )
        return InProcessRuntime(pack.environment)

    def admit(self, pack: Pack) -> None:
        """Read all of a pack that is to run isolated, and refuse it before anything runs.

        Raises:
            UsageError: As `runtime`.
            GateError: Its program or a check does what isolated code may not do.
        """
        self.runtime(pack)
        if self.isolates(pack):
            for scenario in pack.scenarios:
                for check in scenario.checks:
                    require_harmless_check(f"{scenario.name}: {check.about}", check.code)

    def require_walls(self, walls: Walls, scratch: bool = False) -> None:
        """Refuse a machine that lacks a required protection, unless the user accepts it.

        Args:
            walls: The machine's protections.
            scratch: Whether a scratch folder is needed.

        Raises:
            UsageError: Something is missing.
        """
        if walls.missing and not self.allow_weak:
            raise UsageError(
                f"this machine cannot isolate: {', '.join(walls.missing)} missing; see `envscaler "
                "doctor`, or accept it with allow_weak_isolation=true / --allow-weak-isolation"
            )
        if scratch and not walls.scratch:
            raise UsageError(
                "this machine cannot give a scratch folder, which takes Landlock and user "
                "namespaces; see `envscaler doctor`"
            )

    def report(self, packs: Iterable[Pack]) -> dict[str, Any]:
        """Return what a log says about isolation.

        Args:
            packs: The packs that run.
        """
        how = {pack.info.id: "isolated" if self.isolates(pack) else "in_process" for pack in packs}
        told: dict[str, Any] = {"packs": how}
        if "isolated" in how.values():
            walls = shared_server().get().walls
            told["protections"] = walls.summary
            told["limits"] = asdict(self.limits)
            if walls.missing:
                told["weak"] = list(walls.missing)
        return told


def isolation_choice(value: str) -> IsolationChoice:
    """Return a choice that was typed.

    Raises:
        UsageError: There is no such choice.
    """
    for choice in get_args(IsolationChoice):
        if value == choice:
            return choice  # type: ignore[no-any-return]
    raise UsageError(f"isolation is '{value}'; use one of {', '.join(get_args(IsolationChoice))}")


def is_shipped(pack: Pack) -> bool:
    """Whether a pack is one of the library."""
    return pack.folder.resolve().parent == LIBRARY.resolve()


def limits_of(given: Mapping[str, float] | None) -> Limits:
    """Return the default limits with some of them replaced.

    Raises:
        UsageError: A name is unknown, or a value is no positive number.
    """
    known = sorted(entry.name for entry in fields(Limits))
    for name, value in (given or {}).items():
        if name not in known:
            raise UsageError(f"limits: there is no '{name}'; use {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise UsageError(f"limits: {name} is {value!r}; give a number above 0")
    return Limits(**{**asdict(Limits()), **(given or {})})
