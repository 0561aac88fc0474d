"""The setup that gives a sample the entry it is about."""

from dataclasses import dataclass

from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.benchmarks.bfcl import Dataset, Entry, Snapshot, load
from envscaler_eval.errors import UsageError
from envscaler_eval.solvers.bfcl.policies import policies
from envscaler_eval.solvers.bfcl.record import CallingMode, Protocol
from envscaler_eval.solvers.live import LiveSample, enter_sample, live_sample


@dataclass
class LiveEntry(LiveSample):
    """A sample with an entry of the benchmark.

    Attributes:
        dataset: The snapshot that it is from.
        entry: The entry.
        protocol: The rules that the conversation is held by.
        mode: How the model calls.
        describe_responses: Whether descriptions of tools tell what they return.
    """

    dataset: Dataset
    entry: Entry
    protocol: Protocol
    mode: CallingMode
    describe_responses: bool


def live_entry() -> LiveEntry | None:
    """Return the entry at hand, or `None` outside of a running sample."""
    sample = live_sample()
    return sample if isinstance(sample, LiveEntry) else None


def require_entry() -> LiveEntry:
    """Return the entry at hand.

    Raises:
        UsageError: The task started none.
    """
    live = live_entry()
    if live is None:
        raise UsageError(
            "this solver needs an entry; use it with the task envscaler_eval/bfcl_multi_turn"
        )
    return live


@solver
def start_bfcl(
    snapshot: Snapshot = "v4",
    protocol: Protocol = "official",
    mode: CallingMode = "fc",
    describe_responses: bool = False,
    data_dir: str | None = None,
) -> Solver:
    """Open the sample's entry.

    Args:
        snapshot: The data and backends, `v4` or `v3`.
        protocol: The rules of the conversation.
        mode: `fc` for calls through the API, `prompt` for calls in text.
        describe_responses: Add the schema of what tools return to their
            descriptions.
        data_dir: A folder that holds `bfcl/`, other than the usual one.
    """
    dataset = load(snapshot, data_dir)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        entry = dataset.entry(str(state.sample_id))
        enter_sample(
            LiveEntry(
                name=entry.id,
                epoch=state.epoch,
                policies=policies(dataset, entry, mode),
                dataset=dataset,
                entry=entry,
                protocol=protocol,
                mode=mode,
                describe_responses=describe_responses,
            )
        )
        return state

    return solve
