"""The agent of a trial, which calls tools and talks with the user, as upstream's does.

Source: `tau_bench/agents/tool_calling_agent.py` and `Env.step` in
`tau_bench/envs/base.py`.
"""

from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall

from envscaler_eval.benchmarks.tau_bench import users
from envscaler_eval.benchmarks.tau_bench.protocol import (
    MAX_STEPS,
    AgentFault,
    ends_trial,
    user_stops,
)
from envscaler_eval.solvers import simulated_user
from envscaler_eval.solvers.ending import EpisodeEnded, ending
from envscaler_eval.solvers.record import CallEntry, EndedBy, write_record
from envscaler_eval.solvers.tau_bench.record import TrialRecord
from envscaler_eval.solvers.tau_bench.start import LiveTrial, require_trial
from envscaler_eval.solvers.tau_bench.user import Customer
from envscaler_eval.solvers.tools import executors


@solver
def tau_bench_agent() -> Solver:
    """Let the agent act and talk until the user stops, it transfers, or 30 steps are over."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        live = require_trial()
        user = Customer(
            live.name,
            live.user_strategy,
            live.trial.task.instruction,
            live.trial.domain.prompts,
            live.protocol.user_temperature,
        )
        agent = TauAgent(state, live)
        async with ending(agent.finish):
            try:
                await _converse(agent, user)
            except (users.UserFault, simulated_user.UserFault) as fault:
                live.trial.crash = str(fault)
                raise EpisodeEnded("user_fault") from None
            except AgentFault as fault:
                live.trial.crash = str(fault)
                raise EpisodeEnded("error") from None
        return state

    return solve


async def _converse(agent: "TauAgent", user: Customer) -> None:
    agent.hear(await user.open())
    while agent.steps < MAX_STEPS:
        said = await agent.step()
        if said is None:
            continue
        answer = await user.reply(said)
        agent.hear(answer)
        if user_stops(answer):
            raise EpisodeEnded("user_stop")
    raise EpisodeEnded("step_limit")


class TauAgent:
    """The model under test in a trial.

    Args:
        state: The sample; its messages are the agent's view.
        live: The sample's trial.

    Attributes:
        steps: How many generations it has had.
    """

    def __init__(self, state: TaskState, live: LiveTrial) -> None:
        self.steps = 0
        self._state = state
        self._trial = live.trial
        self._live = live
        self._user_messages = 0
        self._unanswered = False
        self._model: Model = get_model()
        prompt = live.protocol.system_prompt(live.trial.domain.policy)
        state.messages = [ChatMessageSystem(content=prompt)]

    def hear(self, said: str) -> None:
        """Take in what the user says."""
        self._user_messages += 1
        self._state.messages.append(ChatMessageUser(content=said))

    async def step(self) -> str | None:
        """Generate once; make the first call, or return what is said to the user.

        Raises:
            EpisodeEnded: The call or a full context ends the trial.
            AgentFault: Upstream's harness does not survive the turn.
        """
        if self._unanswered:
            raise AgentFault("model APIs refuse a history in which a call has no result")
        self.steps += 1
        output = await self._model.generate(self._state.messages, tools=self._live.tools)
        self._state.output = output
        if output.stop_reason == "model_length":
            raise EpisodeEnded("context_length")
        message = output.message
        if not message.tool_calls:
            self._state.messages.append(message)
            return self._said(message.text)
        call = message.tool_calls[0]
        # A copy, since the log of the generation keeps all calls.
        self._state.messages.append(message.model_copy(update={"tool_calls": [call]}))
        if call.parse_error is not None:
            raise AgentFault(f"the arguments of {call.function} cannot be read: {call.parse_error}")
        if call.function == self._live.protocol.reply_action:
            self._unanswered = True
            return self._said(call.arguments.get("content"))
        await self._act(call)
        return None

    def _said(self, content: object) -> str:
        if not isinstance(content, str):
            raise AgentFault("the reply to the user has no text as its content")
        if self._live.protocol.empty_reply_crashes and not content.strip():
            raise AgentFault("the reply to the user is empty")
        self._trial.say(content)
        return content

    async def _act(self, call: ToolCall) -> None:
        result = await execute_tools(self._state.messages, executors(self._trial, [call]))
        self._state.messages.extend(result.messages)
        if self._trial.crash is not None:
            raise AgentFault(self._trial.crash)
        if ends_trial(call.function):
            raise EpisodeEnded("completed")

    def finish(self, ended_by: EndedBy) -> None:
        """Leave the record of the trial."""
        trial = self._trial
        record = TrialRecord(
            protocol=self._live.protocol.name,
            user_strategy=self._live.user_strategy,
            ended_by=ended_by,
            crash=trial.crash,
            steps=self.steps,
            calls=[CallEntry(name=name, arguments=dict(given)) for name, given in trial.calls],
            replies=list(trial.replies),
            failed_calls=trial.failed_calls,
            user_messages=self._user_messages,
            data_hash=trial.data_hash(),
        )
        write_record(self._state, record)
