"""Both modes in one task: each sample says which one it is for."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.solvers.conv import conv
from envscaler_eval.solvers.non_conv import non_conv
from envscaler_eval.solvers.user_strategies import UserStrategy


@solver
def by_mode(
    step_limit: int | None = None,
    user_strategy: UserStrategy | None = None,
    user_temperature: float | None = None,
) -> Solver:
    """Solve each sample in the mode that its metadata names.

    Args:
        step_limit: How many generations the agent has; by default the
            protocol's limit for the mode.
        user_strategy: As in `conv`.
        user_temperature: As in `conv`.
    """
    solvers = {
        "non_conv": non_conv(step_limit),
        "conv": conv(step_limit, user_strategy, user_temperature),
    }

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await solvers[state.metadata["mode"]](state, generate)

    return solve
