"""Both modes in one task: each sample says which one it is for."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.solvers.conv import conv
from envscaler_eval.solvers.non_conv import non_conv


@solver
def by_mode(step_limit: int | None = None) -> Solver:
    """Solve each sample in the mode that its metadata names.

    Args:
        step_limit: How many generations the agent has; by default the
            protocol's limit for the mode.
    """
    solvers = {"non_conv": non_conv(step_limit), "conv": conv(step_limit)}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await solvers[state.metadata["mode"]](state, generate)

    return solve
