"""The checklist scorer: how much of what was asked holds in the final state."""

from functools import partial
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from envscaler_eval.episode import Episode, Grade
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationChoice, IsolationPolicy, limits_of
from envscaler_eval.solvers.agent import Agent
from envscaler_eval.solvers.blocking import run_world
from envscaler_eval.solvers.protocol import PROTOCOLS
from envscaler_eval.solvers.record import PROPER_ENDINGS, EpisodeRecord, read_record
from envscaler_eval.solvers.start import Environments, OpenPack, live_episode

_CLUSTERED = [mean(), stderr(cluster="env")]


@scorer(
    metrics={"reward": _CLUSTERED, "success": _CLUSTERED, "paper_reward": _CLUSTERED},
)
def checklist(
    isolation: IsolationChoice = "auto",
    allow_weak_isolation: bool = False,
    limits: dict[str, float] | None = None,
) -> Scorer:
    """Grade the final state by the scenario's checks.

    A running sample is graded where it stands. A saved one is played again from
    the calls in its log, which must lead to the state hash in the log.

    Args:
        isolation: Where environments run; see `IsolationPolicy`.
        allow_weak_isolation: Whether to go on where a protection is missing.
        limits: Bounds of isolated environments, by name.

    Returns:
        A scorer whose value holds `reward` (goals times guards), `success` (1
        when all hold) and `paper_reward` (checks passed / checks). Scenarios
        without checks are left unscored.

    Raises:
        UsageError: A saved sample cannot be played again as it was.
    """
    policy = IsolationPolicy(isolation, allow_weak_isolation, limits_of(limits))
    environments = Environments(policy)

    async def score(state: TaskState, target: Target) -> Score:
        record = read_record(state, EpisodeRecord)
        live = live_episode()
        if live is not None and record is None:
            # A solver other than ours has left no record.
            record = await Agent(state, live, step_limit=0).finish("completed")
        if record is None and "pack" in state.metadata:
            return Score.unscored(reason="the episode ended in an error")
        if record is None:
            raise UsageError(f"{state.sample_id}: the log holds no episode; run the task first")
        if record.breakdown is not None:
            return Score.unscored(reason=record.breakdown, metadata={"ended_by": record.ended_by})
        if live is None:
            opened = environments.open(state.metadata["pack"])
            grade = await run_world(opened.runtime, partial(_replay, opened, state, record))
            return _score(grade, record, opened.runtime.isolation)
        assert live.grade is not None
        return _score(live.grade, record, live.episode.isolation)

    return score


def _replay(opened: OpenPack, state: TaskState, record: EpisodeRecord) -> Grade:
    pack = opened.pack
    if pack.hash != state.metadata["pack_hash"]:
        raise UsageError(
            f"pack '{pack.info.id}' is not the one that the log was made with: its hash is "
            f"{pack.hash[:12]}, the log has {state.metadata['pack_hash'][:12]}; "
            "check out the version of the log, or run the task again"
        )
    rules = PROTOCOLS[record.protocol]
    scenario = pack.scenario(state.metadata["scenario"])
    with Episode(
        scenario,
        opened.runtime,
        record.seed,
        observations=rules.observations,
        validate=rules.validate,
    ) as episode:
        for call in record.calls:
            episode.call(call.name, call.arguments)
        grade = episode.grade()
    if grade.state_hash != record.state_hash:
        raise UsageError(
            f"{state.sample_id}: playing the log's calls again ends in state "
            f"{grade.state_hash[:12]}, the log has {str(record.state_hash)[:12]}; the environment "
            "is not deterministic here, `envscaler validate` says where"
        )
    return grade


def _score(grade: Grade, record: EpisodeRecord, isolation: str) -> Score:
    if not grade.graded:
        return Score.unscored(reason="the scenario has no checks")
    rules = PROTOCOLS[record.protocol]
    earned = record.ended_by in PROPER_ENDINGS or not rules.proper_ending
    return Score(
        value={
            "reward": grade.reward if earned else 0.0,
            "success": float(grade.success and earned),
            "paper_reward": grade.paper_reward if earned else 0.0,
        },
        answer=record.ended_by,
        explanation=_explanation(grade),
        metadata={**_metadata(grade, record), "isolation": isolation},
    )


def _metadata(grade: Grade, record: EpisodeRecord) -> dict[str, Any]:
    return {
        "ended_by": record.ended_by,
        "steps": record.steps,
        "calls": len(record.calls),
        "tool_errors": record.tool_errors,
        "model_faults": record.model_faults,
        "user_messages": record.user_messages,
        "user_faults": record.user.fault_counts() if record.user else None,
        "collateral": list(grade.collateral),
        "broken_checks": len(grade.broken),
        # Their places: short enough for the summaries of samples, which `checks` often is not.
        "failed_checks": [i for i, check in enumerate(grade.checks) if not check.passed],
        "checks": [
            {
                "about": check.about,
                "kind": check.kind,
                "passed": check.passed,
                **({"broken": check.broken} if check.broken else {}),
            }
            for check in grade.checks
        ],
    }


def _explanation(grade: Grade) -> str:
    lines = [
        f"{'pass' if check.passed else 'FAIL'}  {check.kind}: {check.about}"
        + (f" [broken: {check.broken}]" if check.broken else "")
        for check in grade.checks
    ]
    if grade.implicit_guard:
        touched = ", ".join(grade.collateral)
        lines.append(
            f"FAIL  guard: nothing else changed [{touched}]"
            if touched
            else "pass  guard: nothing else changed"
        )
    return "\n".join(lines)
