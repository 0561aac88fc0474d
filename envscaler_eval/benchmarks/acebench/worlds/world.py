"""The platforms of one task as a world."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Task
from envscaler_eval.benchmarks.acebench.observations import json_copy, parsed, readable_error
from envscaler_eval.benchmarks.acebench.schemas import tool_spec
from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.device import BaseApi
from envscaler_eval.benchmarks.acebench.worlds.food import FoodPlatform
from envscaler_eval.benchmarks.acebench.worlds.message import MessageApi
from envscaler_eval.benchmarks.acebench.worlds.platform import Platform, Tool, call_tool
from envscaler_eval.benchmarks.acebench.worlds.reminder import ReminderApi
from envscaler_eval.benchmarks.acebench.worlds.travel import Travel
from envscaler_eval.world import ToolSpec

_UNKNOWN_TOOL = "No matching function found"

PLATFORMS: tuple[type[Platform], ...] = (BaseApi, MessageApi, ReminderApi, FoodPlatform, Travel)
"""The platforms, in upstream's order."""


class AceWorld:
    """A world of fresh platforms, as one task sets them up.

    It implements `envscaler_eval.world.World` in the form of the `paper`
    protocol: one call, one observation `str([result])`, readable errors. The
    `official` protocol calls `invoke` instead, and shapes what it returns.

    Besides the tools that the task lists, a world answers the other tools of its
    platforms, as upstream does (`multi_turn_utils.execute_agent_func_call`);
    they are a fixed set of names, and the list alone is shown to agents.
    """

    def __init__(self, dataset: Dataset, task: Task) -> None:
        """Build the platforms.

        Args:
            dataset: The benchmark in the task's language.
            task: The task; its settings apply to every platform.
        """
        texts = Texts(dataset.language)
        settings = task.initial_config.get("BaseApi", {})
        by_name = {platform.__name__: platform for platform in PLATFORMS}
        self._platforms: dict[str, Platform] = {
            name: by_name[name](dataset.initial_data[name], settings, texts)
            for name in task.classes
        }
        self._tools: dict[str, list[Tool]] = {}
        for platform in self._platforms.values():
            for name, tool in platform.tools().items():
                self._tools.setdefault(name, []).append(tool)
        self._specs = tuple(tool_spec(dataset.schemas[name]) for name in task.tool_names)

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools that the task lists, some of which its platforms may not have."""
        return self._specs

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation.

        Args:
            name: Any text.
            arguments: Any values.

        Returns:
            `str` of a list of one result. Errors are results.
        """
        try:
            results = self.invoke(name, arguments)
            observed = parsed(results[-1]) if results else _UNKNOWN_TOOL
            return str([observed])
        except Exception as error:
            return str([readable_error(error)])

    def invoke(self, name: str, arguments: Mapping[str, Any]) -> list[Any]:
        """Call a tool on every platform that has it, in order.

        Args:
            name: Any text.
            arguments: Its arguments by name; copied.

        Returns:
            What each platform returned, often live references; empty if none has
            the tool.

        Raises:
            Exception: Whatever a tool raises, which ends the calling.
        """
        return [
            call_tool(tool, copy.deepcopy(dict(arguments))) for tool in self._tools.get(name, [])
        ]

    def has_tool(self, name: str) -> bool:
        """Return whether a platform has a tool, listed to the agent or not."""
        return name in self._tools

    def state(self) -> dict[str, Any]:
        """Return a copy of the state that is scored: attributes by platform."""
        return {
            name: {key: json_copy(getattr(platform, key)) for key in platform.saved}
            for name, platform in self._platforms.items()
        }

    def result(self) -> list[dict[str, dict[str, Any]]]:
        """Return the state in upstream's form, one `{platform: attributes}` each."""
        return [{name: attributes} for name, attributes in self.state().items()]
