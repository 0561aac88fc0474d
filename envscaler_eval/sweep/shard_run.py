"""One shard: its samples through Inspect, and its log in the sweep's folder, whole."""

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envscaler_eval.errors import UsageError
from envscaler_eval.results.sweep_logs import LOGS
from envscaler_eval.results.table import SWEEP_KEY
from envscaler_eval.sweep.plan import ModelChoice
from envscaler_eval.sweep.shards import Shard, is_what_was_planned
from envscaler_eval.sweep.store import Store

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

FUNCTION = "envscaler_eval.sweep.shard_run:run_shard"
_ATTEMPTS = "attempts"


class ShardIncompleteError(Exception):
    """Some samples of a shard have failed, or all."""


def shard_payload(
    shard: Shard, connections: list[int | None], sample_retries: int
) -> dict[str, Any]:
    """Return what `run_shard` is given.

    Args:
        shard: The shard.
        connections: Requests that its models may have in flight: the one under test, then
            the roles' in their order.
        sample_retries: How often a sample that failed is tried again.
    """
    return {
        "shard": shard.model_dump(mode="json"),
        "connections": connections,
        "sample_retries": sample_retries,
    }


def run_shard(key: str, payload: Mapping[str, Any], store: Store) -> Mapping[str, Any]:
    """Run a shard; a `WorkFunction`.

    It goes on from what an earlier run of it has left in the store, be it cut short or
    with samples that failed.

    Args:
        key: The shard's key.
        payload: See `shard_payload`.
        store: The sweep's folder.

    Returns:
        The log's place and what was spent on the episodes in it.

    Raises:
        UsageError: The task or a model cannot be had, or the task is another one on this
            machine than where the sweep was planned.
        ShardIncompleteError: Samples have failed; those that have not are in the store.
        KeyboardInterrupt: A person has stopped it; what was done is in the store.
    """
    shard = Shard.model_validate(payload["shard"])
    task = shard.unit.build()
    if not is_what_was_planned(shard, task):
        raise UsageError(
            f"{shard.unit.task}: the packs, the data or the task's version on this machine are "
            "others than when the sweep was planned; have the same everywhere, and run it again"
        )
    attempt = f"{_ATTEMPTS}/{key}/{uuid.uuid4().hex[:12]}"
    earlier = _earlier_log(store, shard)
    if earlier is not None:
        store.copy(earlier, f"{attempt}/{earlier.rpartition('/')[2]}")
    log = _evaluate(shard, task, payload, store.url(attempt))
    place = _publish(store, shard, log, attempt)
    episodes = len(shard.samples) * shard.unit.trials
    scored = log.results.completed_samples if log.results else 0
    if log.status != "success" or scored < episodes:
        raise ShardIncompleteError(
            f"{episodes - scored} of {episodes} episodes failed: {_first_error(log)}"
        )
    store.remove(f"{_ATTEMPTS}/{key}")
    return {
        "log": place,
        "episodes": episodes,
        "usage": {
            model: usage.model_dump(exclude_none=True)
            for model, usage in log.stats.model_usage.items()
        },
    }


def _evaluate(shard: Shard, task: "Task", payload: Mapping[str, Any], log_dir: str) -> "EvalLog":
    from inspect_ai import eval_set
    from inspect_ai._util.error import PrerequisiteError

    from envscaler_eval.results.named_models import told_in_a_line

    unit = shard.unit
    players = [unit.model, *unit.roles.values()]
    models = [
        _model(choice, share) for choice, share in zip(players, payload["connections"], strict=True)
    ]
    _bound_pools(models)
    model, *others = models
    sweep = {"shard": shard.key, "unit": unit.name, "label": unit.label}
    try:
        _, logs = eval_set(
            task,
            log_dir=log_dir,
            model=model,
            model_roles=dict(zip(unit.roles, others, strict=True)) or None,
            sample_id=list(shard.samples),
            # A sample that fails costs the others nothing, and the shard is tried again.
            continue_on_fail=True,
            retry_on_error=payload["sample_retries"],
            retry_attempts=0,
            retry_immediate=False,
            metadata={**unit.model.metadata, SWEEP_KEY: sweep},
            display="none",
            log_realtime=False,
            **unit.sample_limits.model_dump(exclude_none=True),
        )
    except PrerequisiteError as fault:
        raise UsageError(f"{unit.label} on {unit.task}: {told_in_a_line(fault)}") from None
    if not logs or logs[0].status == "cancelled":
        # Inspect takes Ctrl+C for itself, and would let the next shard begin.
        raise KeyboardInterrupt
    return logs[0]


def _first_error(log: "EvalLog") -> str:
    from inspect_ai.log import read_eval_log_sample_summaries

    if log.error is not None:
        return " ".join(log.error.message.split())
    summaries = read_eval_log_sample_summaries(log.location)
    return next((summary.error for summary in summaries if summary.error), log.status)


def _model(choice: ModelChoice, share: int | None) -> "Model":
    from inspect_ai.model import GenerateConfig

    from envscaler_eval.results.named_models import named_model

    held = {} if share is None else {"max_connections": share}
    return named_model(
        choice.model,
        base_url=choice.base_url,
        config=GenerateConfig.model_validate({**choice.generation, **held}),
        memoize=False,
        **choice.args,
    )


def _bound_pools(models: "list[Model]") -> None:
    """Let the least share hold for all models that Inspect gives one pool of connections.

    Inspect makes a pool as large as the first model to ask wants it, whichever that is.
    """
    pools: dict[tuple[type, str], list[Model]] = {}
    for model in models:
        pools.setdefault((type(model.api), model.api.connection_key()), []).append(model)
    for pool in pools.values():
        shares = [one.config.max_connections for one in pool]
        least = min((share for share in shares if share is not None), default=None)
        for model in pool:
            model.config.max_connections = least


def _publish(store: Store, shard: Shard, log: "EvalLog", attempt: str) -> str:
    """Put a log where results are read from; under a name of its own, it replaces no other."""
    if not (log.results and log.results.completed_samples):
        return ""
    name = log.location.rpartition("/")[2]
    place = f"{_published(shard)}-{attempt.rpartition('/')[2]}.eval"
    store.copy(f"{attempt}/{name}", place)
    return place


def shard_of_log(name: str) -> str:
    """Return the key of the shard that a log is of, by its name; of others, what no key is."""
    _, _, rest = name.rpartition("/")[2].partition("-")
    return rest.partition("-")[0]


def _published(shard: Shard) -> str:
    return f"{LOGS}/{shard.unit.name}/{shard.place:05}-{shard.key}"


def _earlier_log(store: Store, shard: Shard) -> str | None:
    """Return the log of an earlier run of the shard that has come furthest, if there is one."""
    from inspect_ai.log import read_eval_log_sample_summaries

    from envscaler_eval.results.sweep_logs import UNREADABLE

    folder, _, start = _published(shard).rpartition("/")
    names = [name for name in store.names(folder, ".eval") if start in name]
    names += store.names(f"{_ATTEMPTS}/{shard.key}", ".eval")
    best: tuple[int, str] | None = None
    for name in names:
        try:
            summaries = read_eval_log_sample_summaries(store.url(name))
        except UNREADABLE:
            # Nothing of it can be gone on with.
            continue
        good = sum(not summary.error and summary.completed for summary in summaries)
        if good and (best is None or good > best[0]):
            best = good, name
    return best and best[1]
