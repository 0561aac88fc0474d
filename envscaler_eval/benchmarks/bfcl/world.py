"""The backends of an entry as a world that is called by the official rules."""

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any

from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.calls import (
    Call,
    Evaluator,
    call_text,
    error_observation,
    is_plain,
    observation,
    own_copy,
)
from envscaler_eval.benchmarks.bfcl.dataset import Entry
from envscaler_eval.benchmarks.bfcl.guards import guarded
from envscaler_eval.world import ToolSpec


class BfclWorld:
    """The instances of one side, the model's or the ground truth's, in one entry."""

    def __init__(
        self, entry: Entry, backends: Backends, tools: Sequence[ToolSpec] = (), side: str = "model"
    ) -> None:
        """Prepare the instances; they are made when the first call comes.

        Args:
            entry: The entry.
            backends: The sample's modules.
            tools: The tools as the model sees them, for information only: all
                tools of the entry's classes can be called.
            side: What the instances are called after, in texts that get them.
        """
        self._entry = entry
        self._backends = backends
        self._tools = tools
        self._side = side
        self._calculates = "MathAPI" in entry.classes
        self._methods: dict[str, Callable[..., Any]] = {}
        self._instance_names: dict[str, str] = {}
        self._evaluator = Evaluator(self._methods, self._instance_names)

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools that are offered."""
        return self._tools

    @property
    def blocking(self) -> bool:
        """Whether calls may keep an event loop waiting."""
        return False

    @cached_property
    def instances(self) -> Mapping[str, object]:
        """The instances, by class."""
        made = {}
        for class_name in self._entry.classes:
            scenario = own_copy(self._entry.initial_config.get(class_name, {}))
            instance, tools = self._backends.create(class_name, scenario)
            made[class_name] = instance
            name = f"{self._side}_{self._entry.id}_{class_name}_instance"
            for tool in tools:
                method = getattr(instance, tool)
                self._methods[tool] = guarded(method) if class_name == "MathAPI" else method
                self._instance_names[tool] = name
        return made

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the official observation."""
        return self.execute(Call(name, arguments))

    def execute(self, call: Call | str) -> str:
        """Make a call, given by name and arguments or in the official form.

        Returns:
            The official observation; faults of the call are observations too.
        """
        _ = self.instances
        with self._backends.precision() if self._calculates else nullcontext():
            try:
                return observation(self._result(call))
            except Exception as error:
                return error_observation(error)

    def _result(self, call: Call | str) -> Any:
        if isinstance(call, str):
            return self._evaluator.evaluate(call)
        method = self._methods.get(call.name)
        if method is not None and is_plain(call.arguments):
            return method(**own_copy(call.arguments))
        return self._evaluator.evaluate(call_text(call))

    def state(self) -> dict[str, Any]:
        """Return a copy of what the official checker compares, by class."""
        return {
            name: copy.deepcopy({k: v for k, v in vars(instance).items() if not k.startswith("_")})
            for name, instance in self.instances.items()
        }
