"""Which model plays which role."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.step import ROLES, Role

if TYPE_CHECKING:
    from inspect_ai.model import Model


@dataclass(frozen=True)
class Models:
    """The models of a run, by Inspect's names (`openai/gpt-4.1`) or as its objects.

    Attributes:
        default: For every role that has none of its own; by default Inspect's
            `INSPECT_EVAL_MODEL`.
        roles: For single roles.
        max_connections: Requests at once to one model.
        max_retries: How often Inspect repeats a request that the provider refused
            for the moment.
        response_schema: Whether to hand the answer's schema to the provider.
    """

    default: "str | Model | None" = None
    roles: "Mapping[Role, str | Model]" = field(default_factory=dict)
    max_connections: int = 10
    max_retries: int = 8
    response_schema: bool = True
    _made: "dict[Role, Model]" = field(default_factory=dict, init=False, compare=False)

    def of(self, role: Role) -> "Model":
        """Return the model of a role.

        Raises:
            UsageError: There is none, or Inspect cannot make it.
        """
        if role not in self._made:
            self._made[role] = self._make(role)
        return self._made[role]

    def _make(self, role: Role) -> "Model":
        from inspect_ai.model import GenerateConfig, get_model

        config = GenerateConfig(max_connections=self.max_connections, max_retries=self.max_retries)
        named = self.roles.get(role, self.default)
        try:
            # Not Inspect's own memory, which would outlive the run.
            return get_model(named, role=role, config=config, memoize=False)
        except Exception as fault:  # Providers raise what they like: a key or a package is missing.
            told = " ".join(str(fault).split())
            raise UsageError(
                f"role '{role}': {told}; give --model NAME or --model-role {role}=NAME"
            ) from None

    def name(self, role: Role) -> str:
        """Return the full name of a role's model."""
        return str(self.of(role))

    def for_all_machines(self) -> "Models":
        """Return the same models, each by a name that every machine understands.

        What `INSPECT_EVAL_MODEL` says here is then said, and a session is named by its
        full path.

        Raises:
            UsageError: A model is given as an object, which no other machine has.
        """
        default = self.default or os.environ.get("INSPECT_EVAL_MODEL", "").split(",")[0]
        roles = {role: _full_name(named) for role, named in self.roles.items()}
        return replace(self, default=_full_name(default) if default else None, roles=roles)


def _full_name(named: "str | Model") -> str:
    if not isinstance(named, str):
        raise UsageError(f"{named}: other machines know models by their names; give one")
    provider, _, name = named.partition("/")
    return f"session/{Path(name).absolute()}" if provider == "session" else named


def role_models(given: "list[str]") -> "dict[Role, str | Model]":
    """Return what `--model-role ROLE=NAME` says.

    Raises:
        UsageError: It has another form, or names no role.
    """
    chosen: dict[Role, str | Model] = {}
    for entry in given:
        role, sign, name = entry.partition("=")
        if not sign or not name or role not in ROLES:
            raise UsageError(
                f"--model-role '{entry}': write ROLE=MODEL with a role of {', '.join(ROLES)}"
            )
        chosen[role] = name
    return chosen
