"""A sample of a saved log, played again turn by turn with its states."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai.log import (
    EvalSample,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack
from envscaler_eval.playground.catalogue import Catalogue, Listing
from envscaler_eval.playground.played_episode import PlayedEpisode
from envscaler_eval.playground.talk import Item
from envscaler_eval.runtime import Runtime
from envscaler_eval.runtime.in_process import describe
from envscaler_eval.scenario import ToolCall
from envscaler_eval.solvers.protocol import PROTOCOLS
from envscaler_eval.solvers.record import CallEntry, EpisodeRecord, stored_record
from envscaler_eval.state import State, state_hash

Turn = tuple[ChatMessage, ...]
T = TypeVar("T")

_CHECK = {"kind", "about", "passed"}


@dataclass(frozen=True)
class LoggedSample:
    """A sample as it can be chosen.

    Attributes:
        id: Its id, `env/scenario:mode`.
        epoch: Which run of it.
        reward: What it earned, where it was scored.
    """

    id: str
    epoch: int
    reward: float | None


def samples_of(log: Path) -> list[LoggedSample]:
    """Return the samples of a log.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        summaries = read_eval_log_sample_summaries(str(log))
    except Exception as fault:
        # Inspect names no class for files that are no logs.
        raise UsageError(f"{log.name}: cannot be read as a log: {_told(fault, log)}") from None
    return [
        LoggedSample(str(summary.id), summary.epoch, _reward(summary.scores))
        for summary in summaries
    ]


def open_sample(
    log: Path,
    sample: str,
    epoch: int,
    catalogue: Catalogue,
    runtime: Callable[[Pack], Runtime],
) -> "RecordedEpisode":
    """Return a sample, ready to be played again.

    Its pack is looked for among those at hand: what a log says about folders is not
    followed.

    Args:
        log: The log.
        sample: The sample's id.
        epoch: Which run of it.
        catalogue: The packs at hand.
        runtime: Where a pack's environment runs.

    Raises:
        UsageError: It cannot be read, holds no episode, or is of another pack.
    """
    try:
        logged = read_eval_log_sample(str(log), sample, epoch)
    except Exception as fault:
        why = _told(fault, log)
        raise UsageError(f"{log.name}: sample {sample} cannot be read: {why}") from None
    try:
        record = stored_record(logged.store, EpisodeRecord)
    except ValueError:
        raise UsageError(
            f"{log.name}: what sample {sample} keeps of its episode is of another form than "
            "this version's"
        ) from None
    env = str(logged.metadata.get("env", ""))
    listing = catalogue.find(env, str(logged.metadata.get("scenario", "")))
    if record is None:
        raise UsageError(f"{sample} holds no episode; only samples of this project's task do")
    if listing is None:
        raise UsageError(f"the environment '{env}' is not at hand; start with --env and its folder")
    return RecordedEpisode(logged, record, listing, runtime(listing.pack))


class RecordedEpisode:
    """A logged sample that is gone through turn by turn.

    Attributes:
        listing: The scenario.
        record: What the log keeps of the episode.
        turns: The messages, cut before each turn of the agent.
        place: How many turns are shown.
        checks: The checks as the log has them graded.
        reward: What it earned, where it was scored.
        model: Who played.
        same_pack: Whether the pack is still what it was.
    """

    def __init__(
        self, sample: EvalSample, record: EpisodeRecord, listing: Listing, runtime: Runtime
    ) -> None:
        """Start before the first turn of the agent.

        Args:
            sample: The sample.
            record: What it keeps of its episode.
            listing: Its scenario.
            runtime: Where the environment runs.
        """
        self.listing = listing
        self.record = record
        self._opening, self.turns = _turns(sample.messages)
        self.place = 0
        score = (sample.scores or {}).get("checklist")
        facts: Mapping[str, Any] = (score.metadata if score else None) or {}
        self.checks = [one for one in _list_of(facts, "checks", dict) if one.keys() >= _CHECK]
        self.collateral = _list_of(facts, "collateral", str)
        self.reward = _reward(sample.scores)
        self.model = sample.output.model
        self.same_pack = sample.metadata.get("pack_hash") == listing.pack.hash
        protocol = PROTOCOLS[record.protocol]
        self._played = PlayedEpisode(
            listing.scenario, runtime, len(record.calls), record.seed, protocol
        )

    @property
    def state(self) -> State:
        """The state at the place that is shown."""
        return self._played.state

    @property
    def differs(self) -> bool:
        """Whether the end of the replay is another state than the log's."""
        at_end = len(self._played.steps) == len(self.record.calls)
        return at_end and self.record.state_hash not in (None, state_hash(self.state))

    def go(self, place: int) -> None:
        """Go to a place: play on, or play again from the start up to there.

        Raises:
            EnvironmentFault: The environment has failed.
        """
        self.place = max(0, min(place, len(self.turns)))
        wanted = sum(len(list(_made(turn))) for turn in self.turns[: self.place])
        calls = self.record.calls[:wanted]
        if len(calls) < len(self._played.steps):
            self._played.reset()
        for call in calls[len(self._played.steps) :]:
            self._played.call(call.name, dict(call.arguments))

    @property
    def items(self) -> list[Item]:
        """What is shown."""
        made = iter(zip(self.record.calls, self._played.steps, strict=False))
        shown = [item for message in self._opening for item in self._items(message, made)]
        for turn in self.turns[: self.place]:
            unread = _unread(turn)
            for message in turn:
                if isinstance(message, ChatMessageTool) and message.tool_call_id in unread:
                    told = message.error.message if message.error else message.text
                    shown.append(Item("observation", told, tool=message.function or ""))
                else:
                    shown.extend(self._items(message, made))
        return shown

    def close(self) -> None:
        """Give up the environment."""
        self._played.close()

    def _items(self, message: ChatMessage, made: Iterator[tuple[CallEntry, Any]]) -> Iterator[Item]:
        if isinstance(message, ChatMessageTool):
            _, step = next(made, (None, None))
            told = message.text or (message.error.message if message.error else "")
            yield Item(
                "observation",
                told,
                tool=message.function or "",
                status=step.status if step else "",
                differences=step.differences if step else None,
            )
            if step and step.observation != told:
                yield Item("note", "Played again, the environment answers otherwise than then.")
        elif isinstance(message, ChatMessageAssistant):
            calls = tuple(
                ToolCall(name=call.function, arguments=call.arguments)
                for call in message.tool_calls or ()
            )
            yield Item("agent", message.text, message.model or self.model, calls)
        elif message.role == "system":
            yield Item("system", message.text)
        else:
            yield Item("user", message.text)


def _turns(messages: Sequence[ChatMessage]) -> tuple[Turn, list[Turn]]:
    """Cut messages before each one of the agent."""
    opening: list[ChatMessage] = []
    turns: list[list[ChatMessage]] = []
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            turns.append([message])
        else:
            (turns[-1] if turns else opening).append(message)
    return tuple(opening), [tuple(turn) for turn in turns]


def _unread(turn: Turn) -> set[str | None]:
    """Return the ids of calls that could not be read, and so were never made."""
    return {
        call.id
        for message in turn
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or ()
        if call.parse_error
    }


def _made(turn: Turn) -> Iterator[ChatMessageTool]:
    unread = _unread(turn)
    for message in turn:
        if isinstance(message, ChatMessageTool) and message.tool_call_id not in unread:
            yield message


def _list_of(facts: Mapping[str, Any], name: str, kind: type[T]) -> list[T]:
    """Return what a log lists, where it does: it may be of another version."""
    told = facts.get(name)
    return [one for one in told if isinstance(one, kind)] if isinstance(told, list) else []


def _told(fault: Exception, log: Path) -> str:
    """Name an exception in a line, and no folder of this machine: it may be a stranger's line."""
    return describe(fault).replace(str(log), log.name)


def _reward(scores: Mapping[str, Any] | None) -> float | None:
    score = (scores or {}).get("checklist")
    value = score.value if score else None
    reward = value.get("reward") if isinstance(value, dict) else None
    return float(reward) if isinstance(reward, int | float) else None
