"""The BFCL scorer: the official checker on a conversation's calls."""

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState

from envscaler_eval.benchmarks.bfcl import Dataset, Entry, Verdict, load
from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.checker import INFERENCE_ERROR, Step, judge
from envscaler_eval.benchmarks.bfcl.data import RELEASES
from envscaler_eval.benchmarks.bfcl.world import BfclWorld
from envscaler_eval.errors import UsageError
from envscaler_eval.scorers.macro import macro
from envscaler_eval.solvers.bfcl.record import BfclRecord, decode_result, observations_hash
from envscaler_eval.solvers.bfcl.start import live_entry
from envscaler_eval.solvers.record import read_record

# `macro`, the unweighted mean of the categories, is the official overall accuracy.
# Entries of one number are variants of each other, hence one cluster.
_METRICS = [
    macro("category"),
    stderr(cluster="number"),
    grouped(mean(), "category", all=False),
]


@scorer(metrics={"accuracy": _METRICS, "envscaler_partial": _METRICS})
def bfcl(data_dir: str | None = None) -> Scorer:
    """Check the calls as the official evaluation does, by playing them again.

    A saved sample is first played alone, which must give the observations in
    its log.

    Args:
        data_dir: A folder that holds `bfcl/`, other than the usual one.

    Returns:
        A scorer whose value holds `accuracy` (the official verdict, 1 or 0) and
        `envscaler_partial` (turns before the first failure / turns; ours, not
        official).

    Raises:
        UsageError: A saved sample cannot be played again as it was.
    """

    async def score(state: TaskState, target: Target) -> Score:
        record = read_record(state, BfclRecord)
        if record is None:
            raise UsageError(
                f"{state.sample_id}: the log holds no conversation; run the task first"
            )
        dataset = load(record.snapshot, data_dir)
        entry = dataset.entry(str(state.sample_id))
        turns = decode_result(record)
        if live_entry() is None:
            _verify(dataset, entry, record, turns)
        verdict = judge(dataset, entry, turns)
        if record.inference_error:
            passed = min(verdict.turns_passed, len(turns) - 1)
            verdict = Verdict(False, INFERENCE_ERROR, passed)
        return _score(entry, record, turns, verdict)

    return score


def _verify(dataset: Dataset, entry: Entry, record: BfclRecord, turns: list[list[Step]]) -> None:
    if record.wheel != RELEASES[record.snapshot].sha256:
        raise UsageError(
            f"{entry.id}: the log was made with the wheel {record.wheel[:12]}, snapshot "
            f"{record.snapshot} now is {RELEASES[record.snapshot].sha256[:12]}; check out the "
            "version of the log, or run the task again"
        )
    world = BfclWorld(entry, Backends(dataset.backends, entry.long_context))
    seen = [world.execute(call) for steps in turns for step in steps for call in step]
    if observations_hash(seen) != record.observations:
        raise UsageError(
            f"{entry.id}: playing the log's calls again gives other observations; run the task "
            "again"
        )


def _score(entry: Entry, record: BfclRecord, turns: list[list[Step]], verdict: Verdict) -> Score:
    expected = len(entry.ground_truth)
    return Score(
        value={
            "accuracy": float(verdict.valid),
            "envscaler_partial": verdict.turns_passed / expected,
        },
        answer=record.ended_by,
        explanation=_explanation(verdict, expected),
        metadata=_metadata(record, turns, verdict),
    )


def _metadata(record: BfclRecord, turns: list[list[Step]], verdict: Verdict) -> dict[str, Any]:
    return {
        "error_type": verdict.error_type,
        "failed_class": verdict.failed_class,
        "turns_passed": verdict.turns_passed,
        "ended_by": record.ended_by,
        "steps": record.steps,
        "calls": sum(len(step) for steps in turns for step in steps),
        "malformed": record.malformed,
    }


def _explanation(verdict: Verdict, expected: int) -> str:
    if verdict.valid:
        return f"pass  all {expected} turns"
    where = f" in {verdict.failed_class}" if verdict.failed_class else ""
    return f"FAIL  turn {verdict.turns_passed + 1} of {expected}: {verdict.error_type}{where}"
