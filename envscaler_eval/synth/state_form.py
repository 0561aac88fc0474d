"""What an initial state must look like, by the program and the plan of a system."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema_rs import Draft4Validator

from envscaler_eval.state import State, UnserialisableStateError, require_plain
from envscaler_eval.tool_schema import attribute_schemas

_LONGEST = 200


@dataclass(frozen=True)
class Reference:
    """Records of one container that hold keys of another.

    Attributes:
        container: The container of the records.
        attribute: Their attribute that holds a key, a list of keys, or null.
        target: The container that must have the keys.
    """

    container: str
    attribute: str
    target: str


@dataclass(frozen=True)
class StateForm:
    """The form of a system's states.

    Attributes:
        schemas: The JSON schema of each attribute.
        references: What must exist elsewhere in the state.
    """

    schemas: Mapping[str, Mapping[str, Any]]
    references: tuple[Reference, ...]

    @classmethod
    def of(
        cls, source: str, class_name: str, references: tuple[Reference, ...] = ()
    ) -> "StateForm":
        """Read the form from a program.

        Args:
            source: The program's text.
            class_name: Its class.
            references: What must exist elsewhere in the state, from the plan.
        """
        return cls(attribute_schemas(source, class_name), references)

    def faults(self, state: State) -> Iterator[str]:
        """Say what is wrong with a state, a line each."""
        try:
            require_plain(state)
        except UnserialisableStateError as fault:
            yield str(fault)
            return
        for name in self.schemas:
            if name not in state:
                yield f"the attribute '{name}' is missing"
        for name, value in state.items():
            if name not in self.schemas:
                yield f"the class has no attribute '{name}'; it has {', '.join(self.schemas)}"
                continue
            for error in Draft4Validator(dict(self.schemas[name])).iter_errors(value):
                place = "".join(f"[{key!r}]" for key in error.instance_path)
                yield f"{name}{place}: {error.message[:_LONGEST]}"
        for reference in self.references:
            yield from _dangling(reference, state)


def _dangling(reference: Reference, state: State) -> Iterator[str]:
    records, targets = state.get(reference.container), state.get(reference.target)
    if not isinstance(records, dict) or not isinstance(targets, dict):
        return
    for key, record in records.items():
        held = record.get(reference.attribute) if isinstance(record, dict) else None
        for name in held if isinstance(held, list) else [held]:
            if isinstance(name, str) and name not in targets:
                yield (
                    f"{reference.container}['{key}']['{reference.attribute}'] is '{name}', "
                    f"which {reference.target} lacks"
                )
