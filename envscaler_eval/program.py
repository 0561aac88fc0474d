"""An environment program, compiled: what a session needs of an environment."""

from dataclasses import dataclass
from types import CodeType


@dataclass(frozen=True)
class Program:
    """A program without the texts and schemas that only an agent needs.

    Attributes:
        id: The environment's id.
        class_name: The class whose instance is the environment.
        constructor_parameters: The parameters of `__init__` after `self`.
        constructor_reads_state: Whether `__init__` looks at the initial state.
        code: The compiled text.
    """

    id: str
    class_name: str
    constructor_parameters: tuple[str, ...]
    constructor_reads_state: bool
    code: CodeType
