"""The scorer of Tau-Bench: the database as it should be, and all said that should be."""

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState

from envscaler_eval.benchmarks.tau_bench import Grade, Trial, data, load
from envscaler_eval.errors import UsageError
from envscaler_eval.scorers.macro import macro, macro_stderr
from envscaler_eval.solvers.record import PROPER_ENDINGS, read_record
from envscaler_eval.solvers.tau_bench.record import TrialRecord

_DIFFERENCES_SHOWN = 20
# `mean` is the micro mean; the papers report the domains and their unweighted mean.
_METRICS = [
    macro("domain"),
    macro_stderr("domain", cluster="task"),
    mean(),
    stderr(),
    grouped(mean(), "domain", all=False),
]


@scorer(metrics={"reward": _METRICS, "data_match": _METRICS, "outputs": _METRICS})
def tau_bench(data_dir: str | None = None) -> Scorer:
    """Grade trials by playing the calls in their record again.

    Args:
        data_dir: A folder that holds `tau_bench/`.

    Returns:
        A scorer whose value holds `reward` (1 if the trial ended properly and
        both parts are 1, as upstream gives it), `data_match` (1 if the final
        database is as it should be) and `outputs` (1 if all was said that had
        to be). The parts are those of the final state however the trial ended.

    Raises:
        UsageError: The trial cannot be played again as it was.
    """

    async def score(state: TaskState, target: Target) -> Score:
        record = read_record(state, TrialRecord)
        if record is None:
            raise UsageError(
                f"{state.sample_id}: the log holds no trial; run the task with its own solver"
            )
        return _score(_replayed(state, record, data_dir).grade(), record)

    return score


def _replayed(state: TaskState, record: TrialRecord, data_dir: str | None) -> Trial:
    name = state.metadata["domain"]
    here, there = data.fingerprint(name), state.metadata["data_sha256"]
    if here != there:
        raise UsageError(
            f"the Tau-Bench data of {name} is not what the log was made with: its sha256 is "
            f"{here[:12]}, the log has {there[:12]}; use the version of the log, or run the "
            "task again"
        )
    domain = load(name, data_dir)
    trial = Trial(domain, domain.task(state.metadata["split"], state.metadata["task"]))
    for call in record.calls:
        trial.call(call.name, call.arguments)
    for reply in record.replies:
        trial.say(reply)
    trial.crash = record.crash
    if trial.data_hash() != record.data_hash:
        raise UsageError(
            f"{state.sample_id}: playing the log's calls again ends in data "
            f"{trial.data_hash()[:12]}, the log has {record.data_hash[:12]}; the log was edited "
            "or made by another version, run the task again"
        )
    return trial


def _score(grade: Grade, record: TrialRecord) -> Score:
    earned = record.ended_by in PROPER_ENDINGS
    return Score(
        value={
            "reward": grade.reward if earned else 0.0,
            "data_match": float(grade.data_match),
            "outputs": float(all(match.found for match in grade.outputs)),
        },
        answer=record.ended_by,
        explanation=_explanation(grade, record),
        metadata=_metadata(grade, record),
    )


def _metadata(grade: Grade, record: TrialRecord) -> dict[str, Any]:
    return {
        "ended_by": record.ended_by,
        "crash": grade.crash,
        "protocol": record.protocol,
        "user_strategy": record.user_strategy,
        "steps": record.steps,
        "calls": len(record.calls),
        "failed_calls": record.failed_calls,
        "user_messages": record.user_messages,
        "differing_records": len(grade.differences),
        "differences": list(grade.differences[:_DIFFERENCES_SHOWN]),
        "outputs": [{"output": match.output, "said": match.found} for match in grade.outputs],
    }


def _explanation(grade: Grade, record: TrialRecord) -> str:
    differences = ", ".join(grade.differences[:_DIFFERENCES_SHOWN])
    lines = [
        "pass  the data is as it should be"
        if grade.data_match
        else f"FAIL  the data is as it should be [{differences}]"
    ]
    lines += [
        f"{'pass' if match.found else 'FAIL'}  said: {match.output}" for match in grade.outputs
    ]
    if grade.crash is not None:
        lines.append(f"FAIL  upstream's harness survives [{grade.crash}]")
    if record.ended_by not in PROPER_ENDINGS:
        lines.append(f"FAIL  the user stopped or the agent transferred [{record.ended_by}]")
    return "\n".join(lines)
