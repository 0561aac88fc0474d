"""The simulated user's faults, apart from the agent's: they cost it, but are not its own."""

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from envscaler_eval.solvers.record import EpisodeRecord, read_record
from envscaler_eval.solvers.user_faults import USER_FAULT_KINDS


# Each trial is a conversation of its own, and reducers keep the first one's metadata only.
@metric(scores="unreduced")
def user_fault_rates() -> Metric:
    """Share of the conversations in which the user made a fault, of any and of each kind."""

    def compute(scores: list[SampleScore]) -> Value:
        counts = [score.score.metadata or {} for score in scores]
        rates = {"user_fault_rate": _share([any(kinds.values()) for kinds in counts])}
        return rates | {
            kind: _share([kinds.get(kind, 0) > 0 for kinds in counts]) for kind in USER_FAULT_KINDS
        }

    return compute


@scorer(metrics=[user_fault_rates()])
def simulated_user() -> Scorer:
    """Count the simulated user's faults, from the episode's record.

    Returns:
        A scorer whose value is 1 for a conversation in which the user made a
        fault, else 0. Its metadata counts them by kind, its explanation has one
        in a line. Samples without a simulated user get no score.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        record = read_record(state, EpisodeRecord)
        if record is None or record.user is None:
            return None
        faults = record.user.faults
        return Score(
            value=1.0 if faults else 0.0,
            answer=record.ended_by,
            explanation="\n".join(
                f"message {fault.turn}: {fault.kind} ({fault.detail})" for fault in faults
            ),
            metadata=dict(record.user.fault_counts()),
        )

    return score


def _share(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else float("nan")
