"""The setup that gives a sample its trial."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo

from envscaler_eval.benchmarks.tau_bench import Trial, load
from envscaler_eval.errors import UsageError
from envscaler_eval.policies import Policy, RandomCalls
from envscaler_eval.solvers.live import LiveSample, enter_sample, live_sample
from envscaler_eval.solvers.tau_bench.policies import customer, noop, oracle
from envscaler_eval.solvers.tau_bench.protocol import PROTOCOLS, Protocol, ProtocolName, Strategy
from envscaler_eval.solvers.tools import tool_infos

_RANDOM_CALLS = 20


@dataclass
class LiveTrial(LiveSample):
    """A sample with a live trial.

    Attributes:
        trial: The trial.
        tools: Its tools, as a model sees them.
        protocol: The rules that it is held by.
        user_strategy: How the user is simulated.
    """

    trial: Trial
    tools: Sequence[ToolInfo]
    protocol: Protocol
    user_strategy: Strategy


def require_trial() -> LiveTrial:
    """Return the trial at hand.

    Raises:
        UsageError: The task started none.
    """
    live = live_sample()
    if not isinstance(live, LiveTrial):
        raise UsageError("this solver needs a trial; use it with the task envscaler_eval/tau_bench")
    return live


@solver
def start_trial(
    protocol: ProtocolName = "official",
    user_strategy: Strategy | None = None,
    data_dir: str | None = None,
) -> Solver:
    """Start the sample's trial.

    Args:
        protocol: The rules of the trial.
        user_strategy: How the user is simulated; by default as in the protocol.
        data_dir: A folder that holds `tau_bench/`.
    """
    rules = PROTOCOLS[protocol]
    strategy = user_strategy or rules.user_strategy
    tools: dict[str, Sequence[ToolInfo]] = {}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        domain = load(state.metadata["domain"], data_dir)
        trial = Trial(domain, domain.task(state.metadata["split"], state.metadata["task"]))
        if domain.name not in tools:
            tools[domain.name] = tool_infos(domain.tools)
        name = str(state.sample_id)
        enter_sample(
            LiveTrial(
                name=name,
                epoch=state.epoch,
                policies=_policies(name, trial, strategy),
                trial=trial,
                tools=tools[domain.name],
                protocol=rules,
                user_strategy=strategy,
            )
        )
        return state

    return solve


def _policies(name: str, trial: Trial, strategy: Strategy) -> Mapping[str, Callable[[], Policy]]:
    return {
        "oracle": lambda: oracle(trial.task),
        "noop": noop,
        "random": lambda: RandomCalls(trial.tools, name, calls=_RANDOM_CALLS),
        "user": lambda: customer(trial.task, trial.domain.prompts, strategy),
    }
