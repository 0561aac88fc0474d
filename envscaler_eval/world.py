"""What any agent can act on: a set of tools over a state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class ToolSpec:
    """A tool as an agent sees it.

    Attributes:
        name: The name an agent calls it by.
        description: What it does, for the agent.
        parameters: JSON Schema of its arguments, an object schema without
            references. Not to be modified.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


class World(Protocol):
    """A stateful system that an agent acts on through tools.

    Every environment is one, synthesised or from a benchmark. Wrong names,
    wrong arguments and failing tools are observations, never exceptions, and
    only the declared tools can be called.
    """

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools, in the order in which they are shown."""
        ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation."""
        ...

    def state(self) -> dict[str, Any]:
        """Return a copy of the current state."""
        ...
