"""Which trajectories are worth training on."""

from collections import Counter
from collections.abc import Mapping

from inspect_ai.model import ChatMessageAssistant
from pydantic import Field

from envscaler_eval.exports.conversation import reasoning
from envscaler_eval.exports.trajectories import LoggedTrajectory
from envscaler_eval.scenario import Frozen
from envscaler_eval.solvers.protocol import Mode
from envscaler_eval.solvers.record import PROPER_ENDINGS, EpisodeRecord

KEPT = "kept"

_UNSEEN = ("empty", "malformed")

TurnRange = tuple[int, int]

PAPER_TURNS: dict[Mode, TurnRange] = {"non_conv": (3, 29), "conv": (5, 39)}
"""The assistant's turns that EnvScaler's `traj_filter.py` lets through."""


class TrajectoryFilter(Frozen):
    """What a trajectory must be to be kept.

    Attributes:
        min_reward: The least reward of one that is graded.
        ungraded: Whether those of scenarios without checks are kept.
        proper_ending: Whether the agent (Non-Conv) or the user (Conv) must have
            ended the episode.
        valid_format: Whether every turn must call tools that exist, in a form that
            can be read, or say something.
        sound_user: Whether the simulated user must have kept to its rules. A reply
            of it that could not be used and was asked for again does not count.
        reasoning: Whether every turn must show its reasoning.
        turns: The least and the greatest number of the assistant's turns, by mode.
    """

    min_reward: float = Field(default=1.0, ge=0, le=1)
    ungraded: bool = True
    proper_ending: bool = True
    valid_format: bool = True
    sound_user: bool = True
    reasoning: bool = False
    turns: Mapping[Mode, TurnRange] = Field(default_factory=dict)

    def verdict(self, trajectory: LoggedTrajectory) -> str:
        """Return `kept`, or the first reason against a trajectory."""
        record = trajectory.record
        if record is None or trajectory.fault is not None:
            return "error, no episode"
        fault = _user_fault(record)
        if self.sound_user and fault is not None:
            return f"simulated user: {fault}"
        if self.proper_ending and record.ended_by not in PROPER_ENDINGS:
            return f"ended by {record.ended_by}"
        answers = [m for m in trajectory.messages if isinstance(m, ChatMessageAssistant)]
        if self.valid_format and not _is_well_formed(record, answers):
            return "invalid format"
        if self.reasoning and not all(map(reasoning, answers)):
            return "turn without reasoning"
        least, most = self.turns.get(trajectory.mode, (0, len(answers)))
        if not least <= len(answers) <= most:
            return "too short" if len(answers) < least else "too long"
        if not trajectory.scores:
            return KEPT if self.ungraded else "not graded"
        if trajectory.scores["reward"] < self.min_reward:
            return f"reward below {self.min_reward:g}"
        return KEPT


class FilterCounts:
    """How many trajectories of each mode were kept, or dropped for which reason."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, verdict: str, mode: str) -> None:
        """Count a trajectory."""
        self._counts[verdict, mode] += 1

    @property
    def total(self) -> int:
        """How many were looked at."""
        return self._counts.total()

    @property
    def number_kept(self) -> int:
        """How many were kept."""
        return sum(count for (verdict, _), count in self._counts.items() if verdict == KEPT)

    def rows(self) -> list[tuple[str, int, int]]:
        """Return verdicts with their numbers in Non-Conv and Conv, the kept ones first."""
        verdicts = sorted({verdict for verdict, _ in self._counts}, key=lambda v: (v != KEPT, v))
        return [(v, self._counts[v, "non_conv"], self._counts[v, "conv"]) for v in verdicts]

    def summary(self) -> str:
        """Return the verdicts and their numbers in one line."""
        return ", ".join(f"{verdict}: {alone + conv}" for verdict, alone, conv in self.rows())


def _is_well_formed(record: EpisodeRecord, answers: list[ChatMessageAssistant]) -> bool:
    errors = record.tool_errors
    if errors.get("malformed") or errors.get("unknown"):
        return False
    return all(
        all(call.parse_error is None for call in answer.tool_calls)
        if answer.tool_calls
        else bool(answer.text.strip())
        for answer in answers
    )


def _user_fault(record: EpisodeRecord) -> str | None:
    """Return the first fault of the simulated user that the agent could see."""
    faults = record.user.faults if record.user is not None else []
    seen = (fault.kind for fault in faults if fault.kind not in _UNSEEN)
    return next(seen, "user_fault" if record.ended_by == "user_fault" else None)
