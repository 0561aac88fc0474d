"""What keeps a worker in on this machine, as a fork server found it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Denial = Literal["files", "network", "processes", "signals"]

DENIALS: tuple[Denial, ...] = get_args(Denial)


@dataclass(frozen=True)
class Walls:
    """The protections that a fork server has, and what they were seen to stop.

    Attributes:
        system: Operating system, kernel version and architecture.
        landlock_abi: The version of Landlock, 0 for none.
        seccomp: Whether system calls are filtered.
        no_new_privs: Whether a worker can gain no privileges.
        namespaces: The namespaces that workers live in.
        unprivileged: Whether workers run without root's identity.
        dies_with_parent: Whether the kernel ends workers with the fork server.
        denied: What a worker tried on the server's start and was refused.
    """

    system: str
    landlock_abi: int
    seccomp: bool
    no_new_privs: bool
    namespaces: tuple[str, ...]
    unprivileged: bool
    dies_with_parent: bool
    denied: tuple[Denial, ...]

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> "Walls":
        """Read what `as_report` wrote."""
        lists = {name: tuple(report[name]) for name in ("namespaces", "denied")}
        return cls(**{**report, **lists})

    def as_report(self) -> dict[str, Any]:
        """Return the walls as plain data."""
        return asdict(self)

    @property
    def scratch(self) -> bool:
        """Whether an environment can have a scratch folder."""
        return "mount" in self.namespaces and self.landlock_abi > 0

    @property
    def missing(self) -> tuple[str, ...]:
        """The required protections that are not there; isolation without them is weak."""
        lacking = [f"denial of {denial}" for denial in DENIALS if denial not in self.denied]
        if not self.no_new_privs:
            lacking.append("no_new_privs")
        return tuple(lacking)

    @property
    def summary(self) -> str:
        """The protections in one line, for logs."""
        parts = ["rlimits"]
        if self.no_new_privs:
            parts.append("no_new_privs")
        if self.seccomp:
            parts.append("seccomp")
        if self.landlock_abi:
            parts.append(f"landlock {self.landlock_abi}")
        if self.namespaces:
            parts.append(f"namespaces {' '.join(self.namespaces)}")
        return ", ".join(parts)
