"""How a served model can misbehave."""

from dataclasses import dataclass
from typing import Literal, get_args

from envscaler_eval.policies import Turn

ContentFault = Literal[
    "malformed_arguments",
    "stray_quotes",
    "unknown_tool",
    "text_beside_calls",
    "several_calls",
    "empty_reply",
    "refusal",
    "reasoning",
    "truncated",
]
TransportFault = Literal["429", "500", "timeout", "dropped"]
FaultKind = ContentFault | TransportFault

CONTENT_FAULTS: tuple[ContentFault, ...] = get_args(ContentFault)
"""What can be wrong with a reply."""

TRANSPORT_FAULTS: tuple[TransportFault, ...] = get_args(TransportFault)
"""What can keep a reply from arriving."""

FAULTS: tuple[FaultKind, ...] = (*CONTENT_FAULTS, *TRANSPORT_FAULTS)

_OF_CALLS: set[ContentFault] = {
    "malformed_arguments",
    "stray_quotes",
    "unknown_tool",
    "text_beside_calls",
    "several_calls",
}
_LOSES_THE_TURN: set[ContentFault] = {
    "malformed_arguments",
    "unknown_tool",
    "empty_reply",
    "refusal",
    "truncated",
}


@dataclass(frozen=True)
class Occasion:
    """A turn that a policy is about to take, as far as faults depend on it.

    Attributes:
        turn: The turn.
        following: The policy's turn after it.
        native: Whether calls go into their own field of the reply, not its text.
    """

    turn: Turn
    following: Turn
    native: bool


def applies(kind: ContentFault, occasion: Occasion) -> bool:
    """Return whether a turn can go wrong in this way."""
    if kind in _OF_CALLS and not occasion.turn.calls:
        return False
    if kind == "stray_quotes":
        # The fault of a server that parses calls; calls in text meet no such parser.
        return occasion.native
    if kind == "several_calls":
        return bool(occasion.following.calls)
    return True


def loses_the_turn(kind: ContentFault | None) -> bool:
    """Return whether what the turn was to do is still to be done after this fault."""
    return kind in _LOSES_THE_TURN
