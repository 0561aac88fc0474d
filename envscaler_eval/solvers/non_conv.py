"""The non-conversational mode: one task, tools, and nobody to ask."""

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.solvers.agent import Agent
from envscaler_eval.solvers.ending import EpisodeEnded
from envscaler_eval.solvers.prompts import system_prompt
from envscaler_eval.solvers.start import require_episode


@solver
def non_conv(step_limit: int | None = None) -> Solver:
    """Let the agent act until it says something, or refuses, instead of calling a tool.

    Args:
        step_limit: How many generations it has; by default the protocol's limit.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        live = require_episode()
        agent = Agent(state, live, step_limit or live.protocol.steps["non_conv"])
        prompt = system_prompt(
            live.environment, live.episode.scenario.now, "non_conv", live.protocol
        )
        state.messages.insert(0, ChatMessageSystem(content=prompt))
        async with agent.episode():
            while await agent.step() is None:
                pass
            raise EpisodeEnded("refusal" if agent.refused else "completed")
        return state

    return solve
