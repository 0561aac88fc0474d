"""The tool server: one process for all rollouts of a worker, over MCP.

Its live episodes are a cache. What a rollout is made of, the calls so far, travels
with its state, so that an episode that was dropped is played again up to here.
"""

import asyncio
from collections import OrderedDict
from typing import Any, cast

import verifiers.v1 as vf
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from envscaler_eval.exports.rl.rollout import Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import TrainingSet
from envscaler_eval.exports.rl.verifiers_v1.state import Call, RolloutState

_LIVE = 1024


class RolloutToolsetConfig(vf.SharedToolsetConfig):
    """Where the server runs, and what is played."""

    settings: RlSettings = RlSettings()


class RolloutToolset(vf.Toolset[RolloutToolsetConfig, RolloutState]):
    """The tools of whatever environment a rollout is in, under their own names."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        """Read the packs once."""
        self._training_set = TrainingSet(self.config.settings)
        self._live: OrderedDict[str, tuple[Rollout, asyncio.Lock]] = OrderedDict()

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
        rollout, turn = self._rollout()
        async with turn:
            # Worker processes answer by blocking; other rollouts must not wait for them.
            observation = await asyncio.to_thread(self._make_call, rollout, name, arguments)
        return CallToolResult(content=[TextContent(type="text", text=observation)])

    def _make_call(self, rollout: Rollout, name: str, arguments: dict[str, Any]) -> str:
        for call in self.state.calls[len(rollout.calls) :]:
            rollout.call(call.name, call.arguments)
        observation = rollout.call(name, arguments)
        # All of them: a call made at the same time may have come in between.
        self.state.calls = [Call(name=c.name, arguments=c.arguments) for c in rollout.calls]
        return observation

    def _rollout(self) -> tuple[Rollout, asyncio.Lock]:
        key = self.state.episode
        if key not in self._live:
            self._live[key] = self._training_set.start(self.state.task), asyncio.Lock()
        self._live.move_to_end(key)
        while len(self._live) > _LIVE:
            _, (oldest, _) = self._live.popitem(last=False)
            oldest.close()
        return self._live[key]


if __name__ == "__main__":
    RolloutToolset.run()
