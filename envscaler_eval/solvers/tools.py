"""A world's tools in Inspect's form."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import anyio
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo, ToolParams

from envscaler_eval.solvers.blocking import run_world
from envscaler_eval.world import ToolSpec, World

_ANY_ARGUMENTS = ToolParams(properties={}, required=[], additionalProperties=True)
_NO_TRUNCATION = 0


class EpisodeWorld(World, Protocol):
    """A world that says whether an event loop may wait for its calls."""

    @property
    def blocking(self) -> bool:
        """Whether calls may keep an event loop waiting."""
        ...


def tool_infos(tools: Sequence[ToolSpec]) -> list[ToolInfo]:
    """Return tools as a model sees them."""
    return [
        ToolInfo(
            name=tool.name,
            description=tool.description,
            parameters=ToolParams.model_validate(tool.parameters),
        )
        for tool in tools
    ]


def tool_definitions(world: EpisodeWorld, infos: Sequence[ToolInfo]) -> list[ToolDef]:
    """Return a world's tools for any solver; Inspect checks arguments before the world does."""
    turn = anyio.Lock()
    return [
        ToolDef(
            _executor(world, info.name, turn),
            name=info.name,
            description=info.description,
            parameters=info.parameters,
            max_output=_NO_TRUNCATION,
        )
        for info in infos
    ]


def executors(world: EpisodeWorld, calls: Iterable[ToolCall]) -> list[ToolDef]:
    """Return what executes given calls: whatever is named, with whatever arguments.

    The world judges names and arguments itself; Inspect's own check would keep
    faulty calls from it and takes 200 times as long.
    """
    turn = anyio.Lock()
    return [
        ToolDef(
            _executor(world, name, turn),
            name=name,
            description=name,
            parameters=_ANY_ARGUMENTS,
            max_output=_NO_TRUNCATION,
        )
        for name in dict.fromkeys(call.function for call in calls)
    ]


def _executor(world: EpisodeWorld, name: str, turn: anyio.Lock) -> Any:
    async def execute(**kwargs: Any) -> str:
        if not world.blocking:
            return world.call(name, kwargs)
        # Inspect starts the calls of one turn together and in order; the lock,
        # which is fair, has them also made in order.
        async with turn:
            return await run_world(world, lambda: world.call(name, kwargs))

    return execute
