"""How reference policies play an entry."""

from collections.abc import Callable, Mapping

from envscaler_eval.benchmarks.bfcl import Dataset, Entry
from envscaler_eval.benchmarks.bfcl.calls import Call, call_text
from envscaler_eval.benchmarks.bfcl.oracle import oracle_calls
from envscaler_eval.benchmarks.bfcl.tools import offered, tool_specs
from envscaler_eval.policies import Policy, RandomCalls, Turn, noop, scripted
from envscaler_eval.scenario import ToolCall
from envscaler_eval.solvers.bfcl.record import CallingMode

_DONE = Turn("That is all for now.")


def policies(
    dataset: Dataset, entry: Entry, mode: CallingMode
) -> Mapping[str, Callable[[], Policy]]:
    """Return the policies of an entry, by name.

    `oracle` makes the expected calls of each turn at once and then ends the
    turn; `random` makes calls of the tools that are there at first, in the mode
    for calls through an API only.
    """
    made: dict[str, Callable[[], Policy]] = {
        "oracle": lambda: _oracle(dataset, entry, mode),
        "noop": noop,
    }
    if mode == "fc":
        made["random"] = lambda: RandomCalls(tool_specs(offered(dataset, entry, 0)), entry.id)
    return made


def _oracle(dataset: Dataset, entry: Entry, mode: CallingMode) -> Policy:
    script: list[Turn] = []
    for calls in oracle_calls(dataset, entry):
        if calls:
            script.append(_turn(calls, mode))
        script.append(_DONE)
    return scripted(*script)


def _turn(calls: tuple[Call, ...], mode: CallingMode) -> Turn:
    if mode == "prompt":
        return Turn(f"[{', '.join(map(call_text, calls))}]")
    return Turn(
        calls=tuple(ToolCall(name=call.name, arguments=dict(call.arguments)) for call in calls)
    )
