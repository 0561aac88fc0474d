"""Keeping the event loop free while a world in another process is waited for."""

from collections.abc import Callable
from typing import Protocol, TypeVar

import anyio

T = TypeVar("T")


class Blocking(Protocol):
    """What says whether an event loop may wait for it."""

    @property
    def blocking(self) -> bool:
        """Whether it may keep an event loop waiting."""
        ...


async def run_world(world: Blocking, action: Callable[[], T]) -> T:
    """Do something with a world, in a thread if it may keep the event loop waiting.

    Args:
        world: The episode or runtime.
        action: What to do.
    """
    if world.blocking:
        return await anyio.to_thread.run_sync(action)
    return action()


async def run_to_end(world: Blocking, action: Callable[[], T]) -> T:
    """Do something with a world, as `run_world`, even while being cancelled.

    Args:
        world: The episode or runtime.
        action: What to do. It must be bounded in time.
    """
    results: list[T] = []
    with anyio.CancelScope(shield=True):
        results.append(await run_world(world, action))
    return results[0]
