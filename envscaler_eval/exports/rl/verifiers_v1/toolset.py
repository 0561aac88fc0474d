"""The tool server: one process for all rollouts of a worker, over MCP.

Its live episodes are a cache. What a rollout is made of, the calls so far, travels
with its state, so that an episode that was dropped is played again up to here.
"""

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

import verifiers.v1 as vf
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from envscaler_eval.exports.rl.rollout import Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import TrainingSet
from envscaler_eval.exports.rl.verifiers_v1.state import Call, RolloutState


@dataclass
class LiveEpisode:
    """An episode in the cache; its calls are made one after the other."""

    turn: asyncio.Lock
    called: float
    rollout: Rollout | None = None


class RolloutToolsetConfig(vf.SharedToolsetConfig):
    """Where the server runs, and what is played.

    Attributes:
        settings: What is played.
        live_episodes: How many episodes are kept alive at most.
        idle_seconds: How long one is kept that nobody calls.
    """

    settings: RlSettings = RlSettings()
    live_episodes: int = 1024
    idle_seconds: float = 120.0


class RolloutToolset(vf.Toolset[RolloutToolsetConfig, RolloutState]):
    """The tools of whatever environment a rollout is in, under their own names."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        """Read the packs once."""
        self._training_set = TrainingSet(self.config.settings)
        self._live: OrderedDict[str, LiveEpisode] = OrderedDict()
        self._threads = ThreadPoolExecutor(
            self.config.live_episodes, thread_name_prefix="envscaler-call"
        )

    def register(self, mcp: MCPServer) -> None:
        """Answer for each rollout by its state: the server's handlers call these two."""
        server = cast(Any, mcp)
        server.list_tools = self._with_state(self.list_tools)
        server.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        """Return the tools of the rollout's environment."""
        task = self._training_set.task(self.state.task)
        return [
            Tool(name=tool.name, description=tool.description, input_schema=dict(tool.parameters))
            for tool in task.pack.environment.tools
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context | None = None
    ) -> CallToolResult:
        """Make a call; what goes wrong is an observation."""
        state, loop = self.state, asyncio.get_running_loop()
        live = self._episode(state.episode, loop.time())
        async with live.turn:
            # Worker processes answer by blocking; other rollouts must not wait for them.
            observation = await loop.run_in_executor(
                self._threads, self._make_call, live, state, name, arguments
            )
        return CallToolResult(content=[TextContent(type="text", text=observation)])

    def _make_call(
        self, live: LiveEpisode, state: RolloutState, name: str, arguments: dict[str, Any]
    ) -> str:
        rollout = live.rollout = live.rollout or self._training_set.start(state.task)
        for call in state.calls[len(rollout.calls) :]:
            rollout.call(call.name, call.arguments)
        observation = rollout.call(name, arguments)
        # All of them: a call made at the same time may have come in between.
        state.calls = [Call(name=c.name, arguments=c.arguments) for c in rollout.calls]
        return observation

    def _episode(self, key: str, now: float) -> LiveEpisode:
        """Return an episode, and drop what has not been called for long or is too many."""
        live = self._live.setdefault(key, LiveEpisode(asyncio.Lock(), now))
        live.called = now
        self._live.move_to_end(key)
        spared = now - self.config.idle_seconds
        for old, episode in list(self._live.items()):
            if len(self._live) <= self.config.live_episodes and episode.called > spared:
                break
            if not episode.turn.locked() and old != key:
                del self._live[old]
                if episode.rollout is not None:
                    episode.rollout.close()
        return live


if __name__ == "__main__":
    RolloutToolset.run()
