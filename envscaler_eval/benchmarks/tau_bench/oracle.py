"""Scripts of agents with a known reward, as plain data."""

from dataclasses import dataclass

from envscaler_eval.benchmarks.tau_bench.dataset import Call, Task
from envscaler_eval.benchmarks.tau_bench.protocol import ends_trial


@dataclass(frozen=True)
class Script:
    """What an agent does in a trial: calls, then one reply, after which the user stops.

    Attributes:
        calls: The calls in order.
        reply: What it says to the user.
    """

    calls: tuple[Call, ...]
    reply: str


def oracle_script(task: Task) -> Script:
    """Return a script that earns reward 1.

    It makes the task's own calls and says all outputs in one reply. A transfer
    is left out, since it would end the trial before the reply; it changes
    nothing else. An output with a comma cannot be said, for commas are taken
    out of replies before the comparison; no published task has one.

    Args:
        task: The task.

    Returns:
        The script.
    """
    calls = tuple(call for call in task.actions if not ends_trial(call.name))
    if not task.outputs:
        return Script(calls, "This is done.")
    return Script(calls, f"This is done. For your information: {'; '.join(task.outputs)}.")


def noop_script() -> Script:
    """Return a script that does nothing, and earns what a task gives for that."""
    return Script((), "I am sorry, I cannot help with this.")
