"""What a log keeps of a dialogue: enough to hold it again."""

from inspect_ai.solver import TaskState
from pydantic import BaseModel

from envscaler_eval.benchmarks.acebench.dialogues import ProtocolName, Said
from envscaler_eval.solvers.record import EndedBy

_STORE_KEY = "envscaler_eval_acebench"


class DialogueRecord(BaseModel):
    """What a log keeps of a dialogue.

    Attributes:
        protocol: The protocol in which it was held.
        data: SHA-256 that stands for the benchmark's data.
        ended_by: What ended it.
        said: What each party did, in order.
        result: SHA-256 of the end state.
    """

    protocol: ProtocolName
    data: str
    ended_by: EndedBy
    said: list[Said]
    result: str

    @property
    def steps(self) -> int:
        """How many actions the agent took."""
        return sum(turn.by == "agent" for turn in self.said)


def write_record(state: TaskState, record: DialogueRecord) -> None:
    """Put the record where the log keeps it."""
    state.store.set(_STORE_KEY, record.model_dump(mode="json", exclude_defaults=True))


def read_record(state: TaskState) -> DialogueRecord | None:
    """Return the record of a sample, or `None` when its dialogue left none."""
    content = state.store.get(_STORE_KEY)
    return None if content is None else DialogueRecord.model_validate(content)
