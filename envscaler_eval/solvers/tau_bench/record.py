"""What a log keeps of a trial: enough to grade it again."""

from pydantic import BaseModel

from envscaler_eval.solvers.record import CallEntry, EndedBy
from envscaler_eval.solvers.tau_bench.protocol import ProtocolName, Strategy


class TrialRecord(BaseModel):
    """What a log keeps of a trial.

    Attributes:
        protocol: The rules it was held by.
        user_strategy: How the user was simulated.
        ended_by: What ended it; `completed` is a transfer.
        crash: Why upstream would have recorded it as crashed, or None.
        steps: How many generations the agent had.
        calls: The calls that were made, in order.
        replies: What the agent said to the user, in order.
        failed_calls: How many calls were refused or broke.
        user_messages: How often the user spoke.
        data_hash: Upstream's hash of the final database.
    """

    protocol: ProtocolName
    user_strategy: Strategy
    ended_by: EndedBy
    crash: str | None
    steps: int
    calls: list[CallEntry]
    replies: list[str]
    failed_calls: int
    user_messages: int
    data_hash: str
