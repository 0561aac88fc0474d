"""The conversational mode: a simulated user tells the task piece by piece."""

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.solvers.agent import Agent
from envscaler_eval.solvers.ending import EpisodeEnded
from envscaler_eval.solvers.prompts import system_prompt
from envscaler_eval.solvers.simulated_user import SimulatedUser, UserFault
from envscaler_eval.solvers.start import require_episode
from envscaler_eval.solvers.user_strategies import UserStrategy


@solver
def conv(
    step_limit: int | None = None,
    user_strategy: UserStrategy | None = None,
    user_temperature: float | None = None,
) -> Solver:
    """Let the agent talk with the user and act until the user stops.

    The user is the model bound to the role `user`, which must be bound: it is
    never silently the model under test.

    Args:
        step_limit: How many generations the agent has; by default the
            protocol's limit.
        user_strategy: How the user makes its messages; by default the
            protocol's way.
        user_temperature: The temperature of the user's model where the role has
            none of its own; by default the protocol's, if it has one.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        live = require_episode()
        agent = Agent(state, live, step_limit or live.protocol.steps["conv"])
        rules = live.protocol
        temperature = rules.user_temperature if user_temperature is None else user_temperature
        user = SimulatedUser(
            live.episode.scenario, user_strategy or rules.user_strategy, temperature
        )
        agent.user = user.record
        prompt = system_prompt(live.environment, live.episode.scenario.now, "conv", live.protocol)
        state.messages = [ChatMessageSystem(content=prompt)]
        async with agent.episode():
            try:
                agent.hear(await user.open())
                while True:
                    said = await agent.step()
                    if said is None:
                        continue
                    reply = await user.reply(said, len(live.episode.calls))
                    if reply is None:
                        raise EpisodeEnded("user_stop")
                    agent.hear(reply)
            except UserFault:
                raise EpisodeEnded("user_fault") from None
        return state

    return solve
