"""The task on BFCL Multi-Turn."""

from collections.abc import Sequence
from typing import cast, get_args

from inspect_ai import Task, task

from envscaler_eval.benchmarks.bfcl import SNAPSHOTS, Snapshot, load
from envscaler_eval.benchmarks.bfcl.data import RELEASES
from envscaler_eval.errors import UsageError
from envscaler_eval.scorers import bfcl
from envscaler_eval.solvers import bfcl_conversation, start_bfcl
from envscaler_eval.solvers.bfcl.record import CallingMode, Protocol
from envscaler_eval.tasks.bfcl_dataset import entry_dataset
from envscaler_eval.tasks.dataset import listed, one_of
from envscaler_eval.tasks.trials import epochs

_SNAPSHOT: dict[str, Snapshot] = {"official": "v4", "paper": "v3"}


@task
def bfcl_multi_turn(
    categories: str | Sequence[str] | None = None,
    snapshot: str | None = None,
    limit: int | None = None,
    mode: CallingMode = "fc",
    protocol: Protocol = "official",
    skip_faulty: bool = False,
    describe_responses: bool = False,
    trials: int = 1,
    data_dir: str | None = None,
) -> Task:
    """BFCL Multi-Turn: conversations with tools, by the official protocol and checker.

    Args:
        categories: `base`, `miss_func`, `miss_param`, `long_context`,
            comma-separated or a list; by default all four.
        snapshot: The data and backends: `v4`, or `v3` for those of the EnvScaler
            paper; by default that of the protocol.
        limit: Keep at most so many entries of each category, the first ones.
        mode: `fc` for calls through the API, `prompt` for calls in text.
        protocol: `official`, or `paper` for the settings of the EnvScaler paper;
            use it with `--run-config paper_config/bfcl.yaml`.
        skip_faulty: Leave out entries whose known faults make honest work fail.
        describe_responses: Add the schema of what tools return to their
            descriptions, for APIs that have no other place for it.
        trials: How often each sample is run. With more than one, pass@k and
            pass^k are reported beside the mean.
        data_dir: A folder that holds `bfcl/`, instead of the one named by
            ENVSCALER_DATA or the cache.
    """
    one_of("mode", mode, get_args(CallingMode))
    one_of("protocol", protocol, get_args(Protocol))
    chosen = cast(Snapshot, one_of("snapshot", snapshot or _SNAPSHOT[protocol], SNAPSHOTS))
    if protocol == "paper" and (chosen, mode) != ("v3", "fc"):
        raise UsageError("the paper's protocol is snapshot=v3 and mode=fc; leave these out")
    dataset = load(chosen, data_dir)
    return Task(
        dataset=entry_dataset(dataset, listed(categories), limit, skip_faulty),
        setup=start_bfcl(
            snapshot=chosen,
            protocol=protocol,
            mode=mode,
            describe_responses=describe_responses,
            data_dir=data_dir,
        ),
        solver=bfcl_conversation(),
        scorer=bfcl(data_dir),
        epochs=epochs(trials),
        version=1,
        metadata={
            "full_task_version": "1-A",
            "snapshot": chosen,
            "bfcl_eval": RELEASES[chosen].version,
            "bfcl_eval_sha256": RELEASES[chosen].sha256,
        },
    )
