"""What doing nothing earns, to be read beside each score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from envscaler_eval.benchmarks.tau_bench import NOOP_FLOOR
from envscaler_eval.errors import UsageError
from envscaler_eval.results.pairing import SampleRuns, sample_weights
from envscaler_eval.results.table import LogHeader, ResultTable


@dataclass(frozen=True)
class Floor:
    """What doing nothing earns on the same samples.

    Attributes:
        value: The mean score.
        source: Where it is from.
    """

    value: float
    source: str


# Scores of which doing nothing earns 0 on every sample, hence on any part of them.
_ZERO: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("envscaler", "reward"): "by construction: every goal is false at the start",
        ("envscaler", "success"): "by construction: every goal is false at the start",
        ("bfcl_multi_turn", "accuracy"): "`envscaler audit-benchmark bfcl`: 0 of 800",
        ("acebench_agent", "end_to_end"): "`envscaler audit-benchmark acebench`: 0 of 100",
    }
)


def known_floor(log: LogHeader, score: str, runs: Sequence[SampleRuns]) -> Floor | None:
    """Return the floor of a task of ours, if it is known for just these samples.

    Args:
        log: A log of the task.
        score: The score.
        runs: The samples.
    """
    source = _ZERO.get((log.task, score))
    # By the paper's protocol ACEBench scores an end state that nothing led to, and one task
    # expects the state that it starts with.
    open_floor = log.task == "acebench_agent" and log.args.get("protocol") != "official"
    if source is not None and not open_floor:
        return Floor(0.0, source)
    if (log.task, score) == ("tau_bench", "reward"):
        return _tau_bench(log, runs)
    return None


def _tau_bench(log: LogHeader, runs: Sequence[SampleRuns]) -> Floor | None:
    """Return Tau-Bench's floor, which is known for whole splits."""
    splits: dict[str, int] = {}
    for one in runs:
        split = one.sample.rpartition("/")[0]
        splits[split] = splits.get(split, 0) + 1
    means: list[float] = []
    for split, size in splits.items():
        passed, total = NOOP_FLOOR.get(split, (0, 0))
        if size != total:
            return None
        means.append(passed / total)
    return Floor(sum(means) / len(means), "`envscaler audit-benchmark tau_bench`")


def measured_floor(
    table: ResultTable, floors: Mapping[str, SampleRuns], runs: Sequence[SampleRuns], macro: bool
) -> Floor:
    """Return the floor that a run of `policy/noop` has on the same samples.

    Args:
        table: The run, of one task.
        floors: Its samples.
        runs: The samples that it is to be the floor of.
        macro: Whether groups weigh the same.

    Raises:
        UsageError: The run lacks one of the samples, or its score.
    """
    path = table.logs[0].path
    for one in runs:
        if one.sample not in floors or not len(floors[one.sample].values):
            raise UsageError(
                f"{path}: the floor has no score of sample {one.sample}; run policy/noop on all of "
                "the samples"
            )
    weights = sample_weights(runs, macro)
    value = sum(weight * floors[one.sample].mean for weight, one in zip(weights, runs, strict=True))
    return Floor(float(value), f"{table.logs[0].player}, {path}")
