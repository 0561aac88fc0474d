"""A world's tools in Inspect's form."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import anyio
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo, ToolParams

from envscaler_eval.solvers.blocking import run_world
from envscaler_eval.world import ToolSpec

_ANY_ARGUMENTS = ToolParams(properties={}, required=[], additionalProperties=True)
_NO_TRUNCATION = 0


class CallTarget(Protocol):
    """What takes calls, as a world does, and says whether an event loop may wait for them."""

    @property
    def blocking(self) -> bool:
        """Whether calls may keep an event loop waiting."""
        ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation."""
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


def tool_definitions(target: CallTarget, infos: Sequence[ToolInfo]) -> list[ToolDef]:
    """Return tools for any solver; Inspect checks arguments before the target does."""
    turn = anyio.Lock()
    return [
        ToolDef(
            _executor(target, info.name, turn),
            name=info.name,
            description=info.description,
            parameters=info.parameters,
            max_output=_NO_TRUNCATION,
        )
        for info in infos
    ]


def executors(target: CallTarget, calls: Iterable[ToolCall]) -> list[ToolDef]:
    """Return what executes given calls: whatever is named, with whatever arguments.

    The target judges names and arguments itself; Inspect's own check would keep
    faulty calls from it and takes 200 times as long.
    """
    turn = anyio.Lock()
    return [
        ToolDef(
            _executor(target, name, turn),
            name=name,
            description=name,
            parameters=_ANY_ARGUMENTS,
            max_output=_NO_TRUNCATION,
        )
        for name in dict.fromkeys(call.function for call in calls)
    ]


def _executor(target: CallTarget, name: str, turn: anyio.Lock) -> Any:
    async def execute(**kwargs: Any) -> str:
        if not target.blocking:
            return target.call(name, kwargs)
        # Inspect starts the calls of one turn together and in order; the lock,
        # which is fair, has them also made in order.
        async with turn:
            return await run_world(target, lambda: target.call(name, kwargs))

    return execute
