"""An initial state, copied once for each session that starts from it."""

import marshal
from types import CodeType

from envscaler_eval.state import State, UnserialisableStateError, require_plain

_COPIES_THAT_PAY_FOR_COMPILING = 50
_LONGEST = 1_000_000


class InitialState:
    """An initial state, kept in the form that copies fastest.

    Attributes:
        state: An equal of the given state, to compare with; never modified.
    """

    def __init__(self, state: State) -> None:
        """Keep a state of plain data."""
        self.state = state
        self._frozen = marshal.dumps(state)
        self._display: CodeType | None = None
        self._copies = 0

    def copy(self) -> State:
        """Return a deep copy."""
        if self._display is not None:
            made: State = eval(self._display)
            return made
        self._copies += 1
        copied: State = marshal.loads(self._frozen)
        if self._copies == _COPIES_THAT_PAY_FOR_COMPILING and len(self._frozen) <= _LONGEST:
            self._compile()
        return copied

    def _compile(self) -> None:
        """Copy JSON data by code from now on.

        The code makes the containers anew and takes texts and numbers as they are,
        in half the time of marshal. Copies that share these compare faster, too.
        """
        state = marshal.loads(self._frozen)
        try:
            require_plain(state)
            self._display = compile(repr(state), "<state>", "eval", dont_inherit=True)
        except (UnserialisableStateError, ValueError, RecursionError, MemoryError):
            return
        self.state = self.copy()
