"""How an episode ends, whatever ends it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from inspect_ai.util import LimitExceededError, sample_limits

from envscaler_eval.solvers.record import EndedBy

_ENDED_BY_LIMIT: dict[str, EndedBy] = {
    "message": "step_limit",
    "turn": "step_limit",
    "token": "token_limit",
    "time": "time_limit",
    "working": "time_limit",
    "cost": "cost_limit",
    "operator": "cancelled",
}


class EpisodeEnded(Exception):
    """The episode is over, in an ordinary way."""

    def __init__(self, ended_by: EndedBy) -> None:
        """Say what ended it."""
        super().__init__(ended_by)
        self.ended_by: EndedBy = ended_by


@asynccontextmanager
async def ending(finish: Callable[[EndedBy], object]) -> AsyncIterator[None]:
    """Hold an episode, and finish it with what ended it.

    Faults of the infrastructure do not finish it: the sample is then missing.

    Args:
        finish: Leaves the record of the episode; may be a coroutine function.
    """
    try:
        yield
    except EpisodeEnded as end:
        await _run(finish, end.ended_by)
    except LimitExceededError as limit:
        ended_by: EndedBy = _ENDED_BY_LIMIT.get(limit.type) or "cancelled"
        await _run(finish, ended_by)
        raise
    except anyio.get_cancelled_exc_class():
        await _run(finish, "time_limit" if _out_of_time() else "cancelled")
        raise


async def _run(finish: Callable[[EndedBy], object], ended_by: EndedBy) -> None:
    left = finish(ended_by)
    if isinstance(left, Awaitable):
        await left


def _out_of_time() -> bool:
    limits = sample_limits()
    return any(
        limit.limit is not None and limit.usage >= limit.limit
        for limit in (limits.time, limits.working)
    )
