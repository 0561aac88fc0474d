"""The agent's side of an episode: generations, calls, and how it ends."""

from contextlib import AbstractAsyncContextManager

from inspect_ai.model import (
    ChatMessageTool,
    ChatMessageUser,
    Model,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import TaskState

from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.solvers.blocking import run_to_end
from envscaler_eval.solvers.ending import EpisodeEnded, ending
from envscaler_eval.solvers.model_faults import (
    MODEL_FAULTS,
    faults_of,
    is_empty,
    is_refusal,
    is_truncated,
)
from envscaler_eval.solvers.record import (
    CallEntry,
    EndedBy,
    EpisodeRecord,
    UserRecord,
    tool_errors,
    write_record,
)
from envscaler_eval.solvers.start import LiveEpisode
from envscaler_eval.solvers.tools import executors

_EMPTY_REPLY = "Your reply was empty. Call a tool, or say what you have to say."


class Agent:
    """The model under test in an episode.

    Attributes:
        steps: How many generations it has had.
        user_messages: How often the user has spoken, for the record.
        refused: Whether its last reply was a refusal.
        user: The simulated user's side, for the record.
    """

    def __init__(self, state: TaskState, live: LiveEpisode, step_limit: int) -> None:
        """Prepare to act.

        Args:
            state: The sample; its messages are the agent's view.
            live: The sample's episode.
            step_limit: How many generations the agent has.
        """
        self.steps = 0
        self.user_messages = 0
        self.refused = False
        self.user: UserRecord | None = None
        self._state = state
        self._live = live
        self._step_limit = step_limit
        self._malformed = 0
        self._faults: dict[str, int] = dict.fromkeys(MODEL_FAULTS, 0)
        self._tool_names = {tool.name for tool in live.tools}
        self._model: Model = get_model()

    def hear(self, said: str) -> None:
        """Take in what the user says."""
        self.user_messages += 1
        self._state.messages.append(ChatMessageUser(content=said))

    async def step(self) -> str | None:
        """Generate once and make the calls; return the text of a turn without calls.

        Raises:
            EpisodeEnded: A limit is reached, or the protocol ends the episode.
        """
        if self.steps >= self._step_limit:
            raise EpisodeEnded("step_limit")
        self.steps += 1
        output = await self._model.generate(self._state.messages, tools=self._live.tools)
        self._state.output = output
        self._state.messages.append(output.message)
        for fault in faults_of(output, self._tool_names):
            self._faults[fault] += 1
        self.refused = is_refusal(output)
        if output.message.tool_calls:
            await self._act(output)
            return None
        if output.stop_reason == "model_length":
            raise EpisodeEnded("context_length")
        if is_truncated(output):
            raise EpisodeEnded("token_limit")
        if is_empty(output):
            self._malformed += 1
            self._state.messages.append(ChatMessageUser(content=_EMPTY_REPLY))
            return None
        if self.refused and not output.message.text.strip():
            raise EpisodeEnded("refusal")
        return output.message.text

    async def _act(self, output: ModelOutput) -> None:
        message = output.message
        calls = message.tool_calls or []
        if self._live.protocol.single_call:
            calls = message.tool_calls = calls[:1]
        episode = self._live.episode
        made = len(episode.calls)
        result = await execute_tools(self._state.messages, executors(episode, calls))
        self._state.messages.extend(result.messages)
        self._malformed += sum(
            isinstance(answer, ChatMessageTool)
            and answer.error is not None
            and answer.error.type == "parsing"
            for answer in result.messages
        )
        raised = any(call.status == "raised" for call in episode.calls[made:])
        if raised and self._live.protocol.raising_ends:
            raise EpisodeEnded("error")

    def episode(self) -> AbstractAsyncContextManager[None]:
        """Hold the episode: whatever ends it, grade it and leave a record."""
        return ending(self.finish)

    async def finish(self, ended_by: EndedBy) -> EpisodeRecord:
        """Grade the episode and write its record, also when the sample is cancelled.

        An environment that has stopped or cannot be judged leaves the sample
        without a grade, and the record says why.
        """
        episode = self._live.episode
        breakdown = None
        try:
            self._live.grade = await run_to_end(episode, episode.grade)
        except EnvironmentFault as fault:
            breakdown = str(fault)
        grade = self._live.grade
        record = EpisodeRecord(
            seed=episode.seed,
            protocol=self._live.protocol.name,
            ended_by="error" if breakdown else ended_by,
            steps=self.steps,
            calls=[CallEntry(name=call.name, arguments=call.arguments) for call in episode.calls],
            tool_errors=tool_errors(episode, self._malformed),
            # The replies that a solver other than ours got were not seen here.
            model_faults=self._faults if self.steps else {},
            user_messages=self.user_messages,
            user=self.user,
            state_hash=grade.state_hash if grade else None,
            breakdown=breakdown,
        )
        write_record(self._state, record)
        return record
