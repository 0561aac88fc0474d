"""The official conversation: turns of the user, and in each as many steps as the model wants.

Source: `inference_multi_turn_FC` and `inference_multi_turn_prompting` in
`model_handler/base_handler.py` of the official package.
"""

from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo
from inspect_ai.util import LimitExceededError

from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.calls import Call, call_text
from envscaler_eval.benchmarks.bfcl.checker import Step
from envscaler_eval.benchmarks.bfcl.data import RELEASES
from envscaler_eval.benchmarks.bfcl.tools import held_out, offered, tool_specs
from envscaler_eval.benchmarks.bfcl.world import BfclWorld
from envscaler_eval.solvers.bfcl.record import (
    BfclRecord,
    ResultStep,
    decode_step,
    observations_hash,
    result_step,
)
from envscaler_eval.solvers.bfcl.start import LiveEntry, require_entry
from envscaler_eval.solvers.ending import EpisodeEnded, ending
from envscaler_eval.solvers.record import EndedBy, write_record
from envscaler_eval.solvers.tools import executors, tool_infos


class Conversation:
    """The conversation of one sample."""

    def __init__(self, state: TaskState, live: LiveEntry) -> None:
        """Prepare to converse.

        Args:
            state: The sample, whose messages hold what the user says first.
            live: The sample's entry.
        """
        self._state = state
        self._live = live
        self._prompts = live.dataset.prompts
        self._world = BfclWorld(
            live.entry, Backends(live.dataset.backends, live.entry.long_context)
        )
        self._model = get_model()
        self._tools: list[ToolInfo] = []
        self._result: list[list[ResultStep]] = []
        self._observations: list[str] = []
        self._malformed = 0
        self._inference_error = False

    async def hold(self) -> None:
        """Go through the turns.

        Raises:
            EpisodeEnded: Always; by `step_limit` when the model would not end a
                turn, which officially ends the conversation.
        """
        docs = offered(self._live.dataset, self._live.entry, 0)
        if self._live.mode == "prompt":
            system = ChatMessageSystem(content=self._prompts.system(docs))
            self._state.messages.insert(0, system)
        for turn in range(len(self._live.entry.turns)):
            self._open(turn)
            steps = 0
            while await self._step():
                steps += 1
                if steps > self._prompts.step_limit:
                    raise EpisodeEnded("step_limit")
        raise EpisodeEnded("completed")

    def finish(self, ended_by: EndedBy) -> None:
        """Write the record."""
        record = BfclRecord(
            snapshot=self._live.dataset.snapshot,
            wheel=RELEASES[self._live.dataset.snapshot].sha256,
            protocol=self._live.protocol,
            mode=self._live.mode,
            ended_by=ended_by,
            inference_error=self._inference_error,
            steps=sum(map(len, self._result)),
            malformed=self._malformed,
            result=self._result,
            observations=observations_hash(self._observations),
        )
        write_record(self._state, record)

    def _open(self, turn: int) -> None:
        """Let the user speak and, where the entry says so, reveal tools."""
        dataset, entry = self._live.dataset, self._live.entry
        self._result.append([])
        fc = self._live.mode == "fc"
        reveals = turn in entry.held_out
        if fc and (reveals or not turn):
            docs = offered(dataset, entry, turn)
            self._tools = tool_infos(tool_specs(docs, self._live.describe_responses))
        said: Sequence[str] = entry.turns[turn]
        if reveals and fc:
            said = (self._prompts.revealed,)
        elif reveals:
            said = (self._prompts.revealed_in_text(held_out(dataset, entry, turn)),)
        if turn:
            # What is said first is the sample's input.
            self._state.messages.extend(ChatMessageUser(content=text) for text in said)

    async def _step(self) -> bool:
        """Generate once and make the calls; return whether there were any."""
        output = await self._generate()
        self._state.output = output
        self._state.messages.append(output.message)
        step = result_step(output) if self._live.mode == "fc" else output.message.text
        self._result[-1].append(step)
        calls = decode_step(step, self._live.mode, self._live.dataset.snapshot)
        if not calls:
            self._malformed += not isinstance(step, str)
            return False
        if self._live.mode == "fc":
            await self._call(output)
        else:
            self._call_in_text(calls)
        return True

    async def _generate(self) -> ModelOutput:
        """Generate once.

        Raises:
            EpisodeEnded: Officially the inference failed, by the model's fault.
        """
        try:
            output = await self._model.generate(self._state.messages, tools=self._tools)
        except LimitExceededError:
            raise
        except Exception:
            if not self._malformed:
                raise
            # A call that could not be read stays without an answer, as officially,
            # and providers may refuse such a history.
            self._inference_error = True
            raise EpisodeEnded("error") from None
        if output.stop_reason == "model_length":
            self._inference_error = True
            raise EpisodeEnded("context_length")
        return output

    async def _call(self, output: ModelOutput) -> None:
        calls = output.message.tool_calls or []
        executed = await execute_tools(self._state.messages, executors(self._world, calls))
        self._state.messages.extend(executed.messages)
        answers = [m for m in executed.messages if isinstance(m, ChatMessageTool)]
        self._observations.extend(answer.text for answer in answers)

    def _call_in_text(self, calls: Step) -> None:
        answers = []
        for call in calls:
            observation = self._world.execute(call)
            self._observations.append(observation)
            name = call_text(call) if isinstance(call, Call) else call
            answers.append({"role": "tool", "name": name, "content": observation})
        self._state.messages.append(ChatMessageUser(content=repr(answers)))


@solver
def bfcl_conversation() -> Solver:
    """Hold the official conversation of the sample's entry."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        conversation = Conversation(state, require_entry())
        async with ending(conversation.finish):
            await conversation.hold()
        return state

    return solve
