"""What the tools of both domains have in common.

A tool is a function of a database and the model's arguments. Nothing is
validated before it runs: the tool's own checks, in upstream's order, and
Python's complaints about unsuitable values make the observations. So the
parameter types say what is meant, not what may come.
"""

import functools
import inspect
from collections.abc import Callable, Mapping

from envscaler_eval.benchmarks.tau_bench.calculator import calculate
from envscaler_eval.benchmarks.tau_bench.tables import Table

Database = Mapping[str, Table]
Tool = Callable[..., str]


class TrialCrash(Exception):
    """A call that upstream's harness does not survive: the trial scores 0."""


@functools.cache
def parameters(tool: Tool) -> tuple[str, ...]:
    """Return a tool's parameters in order, without the database."""
    return tuple(inspect.signature(tool).parameters)[1:]


def calculate_tool(db: Database, expression: str) -> str:
    """Evaluate arithmetic; see `calculator`."""
    return calculate(expression)


def think(db: Database, thought: str) -> str:
    """Let the agent write down a thought; nothing comes of it."""
    return ""


def transfer_to_human_agents(db: Database, summary: str) -> str:
    """Hand the conversation over, which ends the trial."""
    return "Transfer successful"
