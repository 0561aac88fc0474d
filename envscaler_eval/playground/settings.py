"""What the person who starts the playground decides, and no visitor can change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.playground.visitors import Bounds

POLICIES = ("policy/oracle", "policy/random", "policy/noop")
"""The models that need no key, and are always there."""

OFFLINE_USER = "policy/user"


def _isolated() -> IsolationPolicy:
    return IsolationPolicy("isolated")


@dataclass(frozen=True)
class PlaygroundSettings:
    """What there is to play with, and within which bounds.

    Attributes:
        packs: The environments.
        models: The models that may be watched, beside the reference policies. A
            visitor can choose one and name no other: keys are not theirs to spend.
        logs: The folder of the logs that may be opened.
        isolation: Where environments run; workers of their own by default, since
            strangers choose the arguments.
        bounds: How many visitors there may be, and for how long.
    """

    packs: Sequence[Pack]
    models: Sequence[str] = ()
    logs: Path | None = None
    isolation: IsolationPolicy = field(default_factory=_isolated)
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def agents(self) -> tuple[str, ...]:
        """The models that may act."""
        return *POLICIES, *self.models

    @property
    def users(self) -> tuple[str, ...]:
        """The models that may speak as the user."""
        return OFFLINE_USER, *self.models
