"""Reference policies of Tau-Bench: the ceiling, the floor, and a user without a model."""

from collections.abc import Mapping

from envscaler_eval.benchmarks.tau_bench import Script, Task, noop_script, oracle_script
from envscaler_eval.benchmarks.tau_bench.protocol import STOP_TOKEN
from envscaler_eval.policies import Policy, Turn, View, scripted
from envscaler_eval.scenario import ToolCall
from envscaler_eval.solvers.tau_bench.protocol import Strategy


def oracle(task: Task) -> Policy:
    """Return the policy that makes the task's own calls and says its outputs."""
    return _played(oracle_script(task))


def noop() -> Policy:
    """Return the policy that apologises."""
    return _played(noop_script())


def customer(task: Task, prompts: Mapping[str, str], strategy: Strategy) -> Policy:
    """Return a user that tells the whole instruction, and stops when it is answered.

    Args:
        task: The task.
        prompts: The prompts of the domain.
        strategy: How its messages are read. It approves of all it says.
    """
    label = "User Response:\n" if strategy in ("react", "react_fixed") else ""
    greeting = prompts["user_first_message_seen_by_simulator"]

    def next_turn(view: View) -> Turn:
        if view.heard[0] != greeting:
            return Turn("True")
        return Turn(STOP_TOKEN if view.step else label + task.instruction)

    return next_turn


def _played(script: Script) -> Policy:
    calls = (
        Turn(calls=(ToolCall(name=call.name, arguments=dict(call.arguments)),))
        for call in script.calls
    )
    return scripted(*calls, Turn(script.reply))
