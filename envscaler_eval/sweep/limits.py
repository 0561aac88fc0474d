"""Requests in flight: each shard's share of what a provider allows all of them together."""

from collections.abc import Mapping, Sequence

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep.plan import ModelChoice, SweepPlan


def connections(
    players: Sequence[ModelChoice], limits: Mapping[str, int], workers: int
) -> list[int | None]:
    """Return how many requests each model of a shard may have in flight.

    Every worker may be at a shard of the same provider, and the models of a shard may all
    wait for it at once, so each has an equal share of its limit. The strictest limit counts
    where one is given for the model and one for its provider.

    Args:
        players: The models of a shard: the one under test, and those on other roles.
        limits: Provider or model -> requests in flight on all machines together.
        workers: How many shards run at once.

    Returns:
        A share for each model; `None` where there is no limit and none was given.

    Raises:
        UsageError: A share would be less than 1, or the model asks for more than its share.
    """
    return [_share(one, players, limits, workers) for one in players]


def share_of_connections(max_connections: int, workers: int) -> int:
    """Return how many requests to a model each worker may have in flight.

    Args:
        max_connections: How many all of them may have together.
        workers: How many work at once.

    Raises:
        UsageError: A share would be less than 1.
    """
    if workers > max_connections:
        raise UsageError(
            f"--max-connections {max_connections}: so many requests may be in flight, and "
            f"{workers} workers could have {workers}; run at most {max_connections} workers, or "
            f"raise it to {workers} or more"
        )
    return max_connections // workers


def check_limits(plan: SweepPlan, workers: int) -> None:
    """Check before the start that no more can be in flight than is allowed.

    Raises:
        UsageError: There could be more, or a limit names no model of the plan.
    """
    everyone = [*plan.models, *plan.roles.values()]
    for name in plan.limits:
        if name not in {key for one in everyone for key in (one.provider, one.model)}:
            known = ", ".join(dict.fromkeys(one.provider for one in everyone))
            raise UsageError(f"limits {name}: no model of the plan is served by it; use {known}")
    for model in plan.models:
        connections([model, *plan.roles.values()], plan.limits, workers)


def _share(
    one: ModelChoice, players: Sequence[ModelChoice], limits: Mapping[str, int], workers: int
) -> int | None:
    asked: int | None = one.generation.get("max_connections")
    shares = []
    for name, rivals in (
        (one.provider, [other for other in players if other.provider == one.provider]),
        (one.model, [other for other in players if other.model == one.model]),
    ):
        if name not in limits:
            continue
        flight, limit = workers * len(rivals), limits[name]
        if flight > limit:
            most = limit // len(rivals)
            remedy = f"run at most {most} workers" if most else f"raise it to {len(rivals)} or more"
            raise UsageError(
                f"limits {name}: {limit} requests may be in flight, and {workers} workers with "
                f"{len(rivals)} such models each could have {flight}; {remedy}"
            )
        share = limit // flight
        if asked is not None and asked > share:
            raise UsageError(
                f"limits {name}: {limit} requests may be in flight, and {workers} workers with "
                f"max_connections {asked} for {one.model} could have {flight * asked}; give "
                f"{share} or less, or use fewer workers"
            )
        shares.append(share)
    if asked is not None:
        return asked
    return min(shares, default=None)
