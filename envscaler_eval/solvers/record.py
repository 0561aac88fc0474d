"""What a log keeps of an episode: enough to play it again."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from inspect_ai.solver import TaskState
from pydantic import BaseModel, JsonValue

from envscaler_eval.episode import Episode
from envscaler_eval.solvers.protocol import ProtocolName
from envscaler_eval.solvers.user_faults import USER_FAULT_KINDS, UserFaultKind
from envscaler_eval.solvers.user_strategies import UserStrategy

EndedBy = Literal[
    "completed",
    "user_stop",
    "step_limit",
    "token_limit",
    "context_length",
    "time_limit",
    "cost_limit",
    "cancelled",
    "user_fault",
    "refusal",
    "error",
]

# The paper grades whenever the agent replies without a call, whatever it says.
PROPER_ENDINGS: frozenset[EndedBy] = frozenset({"completed", "user_stop", "refusal"})

_STORE_KEY = "envscaler_eval"

Record = TypeVar("Record", bound=BaseModel)


class CallEntry(BaseModel):
    """A call as the log keeps it."""

    name: str
    arguments: dict[str, JsonValue]


class UserTurn(BaseModel):
    """What a simulated user said, and what it thought and did not say."""

    said: str
    thought: str = ""


class UserFaultEntry(BaseModel):
    """A fault of the simulated user.

    Attributes:
        kind: The rule that it breaks.
        turn: The message, from 1. A reply that could not be used counts as the
            message that it should have been.
        detail: What shows it.
    """

    kind: UserFaultKind
    turn: int
    detail: str


class UserRecord(BaseModel):
    """The simulated user's side of an episode.

    Attributes:
        model: The model that spoke.
        strategy: How it made its messages; `scripted` for `policy/user`.
        temperature: Its temperature, or `None` for its provider's default.
        turns: What it said, the stop included.
        faults: Its faults, in order.
    """

    model: str
    strategy: UserStrategy | Literal["scripted"]
    temperature: float | None
    turns: list[UserTurn] = []
    faults: list[UserFaultEntry] = []

    def fault_counts(self) -> dict[str, int]:
        """Return how many faults there were of each kind."""
        counts = Counter(fault.kind for fault in self.faults)
        return {kind: counts[kind] for kind in USER_FAULT_KINDS}


class EpisodeRecord(BaseModel):
    """What a log keeps of an episode.

    Attributes:
        seed: The episode's seed.
        protocol: The rules it was held by.
        ended_by: What ended it.
        steps: How many generations the agent had.
        calls: The calls that were made, in order.
        tool_errors: How many calls went wrong, by kind. `malformed` ones could
            not be read and never became calls.
        model_faults: How many faults the model's replies had, by kind; empty where
            they were not counted.
        user_messages: How often the user spoke to the agent.
        user: The simulated user's side, where there was one.
        state_hash: SHA-256 of the final state, or `None` after a breakdown.
        breakdown: How the environment itself broke down, so that the sample has
            no score; `None` when it held.
    """

    seed: int
    protocol: ProtocolName
    ended_by: EndedBy
    steps: int
    calls: list[CallEntry]
    tool_errors: dict[str, int]
    model_faults: dict[str, int] = {}
    user_messages: int
    user: UserRecord | None = None
    state_hash: str | None
    breakdown: str | None = None


def never_started(seed: int, protocol: ProtocolName, breakdown: str) -> EpisodeRecord:
    """Return the record of an episode whose environment does not start."""
    return EpisodeRecord(
        seed=seed,
        protocol=protocol,
        ended_by="error",
        steps=0,
        calls=[],
        tool_errors={},
        user_messages=0,
        state_hash=None,
        breakdown=breakdown,
    )


def tool_errors(episode: Episode, malformed: int) -> dict[str, int]:
    """Count the calls that went wrong, by kind."""
    counts = {"failed": 0, "raised": 0, "invalid": 0, "unknown": 0, "malformed": malformed}
    for call in episode.calls:
        if call.status != "ok":
            counts[call.status] += 1
    return counts


def write_record(state: TaskState, record: BaseModel) -> None:
    """Put a record where the log keeps it."""
    state.store.set(_STORE_KEY, record.model_dump(mode="json"))


def read_record(state: TaskState, kind: type[Record]) -> Record | None:
    """Return the record of a sample, or `None` when its episode left none."""
    return stored_record({_STORE_KEY: state.store.get(_STORE_KEY)}, kind)


def stored_record(store: Mapping[str, Any], kind: type[Record]) -> Record | None:
    """Return the record in the store of a logged sample, or `None` where there is none."""
    content = store.get(_STORE_KEY)
    return None if content is None else kind.model_validate(content)
