"""Environments for TRL's `GRPOTrainer(environment_factory=...)`, tested with TRL 1.16.

TRL makes one instance for each concurrent rollout and reuses it: `reset(**row)`
starts an episode, every other public method is a tool, and `get_reward()` tells
what was earned. A model's reply without a call ends the rollout, so in
conversation it talks through a tool.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, cast

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl.rollout import RlTask, Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.tool_methods import tool_method
from envscaler_eval.exports.rl.training_set import TrainingSet, training_set
from envscaler_eval.runtime import EnvironmentFault
from envscaler_eval.solvers.simulated_user import UserFault
from envscaler_eval.world import ToolSpec

TALK = ToolSpec(
    name="talk_to_user",
    description="Say something to the user, and wait for the answer.",
    parameters={
        "type": "object",
        "properties": {"message": {"type": "string", "description": "What to say."}},
        "required": ["message"],
        "additionalProperties": False,
    },
)
"""How the model speaks in conversation."""

_HOW_TO_TALK = (
    f"\n\nSpeak to the user with the tool `{TALK.name}` alone; a reply without a tool call ends "
    "your work. When the user has ended the conversation, reply without a call."
)
_ENDED = "The user has ended the conversation."
_NOTHING_SAID = json.dumps(
    {"success": False, "error": f"Invalid arguments for {TALK.name}: 'message' must be a text"}
)
_RESERVED = {"reset", "get_reward"}


class RolloutEnvironment:
    """What all environments for TRL share; tools are the methods of its subclasses."""

    _training_set: ClassVar[TrainingSet]
    _tools: ClassVar[tuple[ToolSpec, ...]]
    _rollout: Rollout | None = None

    def reset(self, task: str, **row: object) -> str | None:
        """Start an episode.

        Args:
            task: What to play, as in the data set's column.
            row: The row's other columns.

        Returns:
            What is to be added to the prompt: the user's first words in conversation.
        """
        if self._rollout is not None:
            self._rollout.close()
        rollout = self._rollout = self._training_set.start(task)
        if rollout.task.mode == "non_conv":
            return None
        try:
            return rollout.opening
        except UserFault:
            # One mute user is no reason to stop a training run.
            rollout.end("user_fault")
            return None

    @property
    def _current(self) -> Rollout:
        if self._rollout is None:
            raise UsageError("call reset(task=...) before a tool")
        return self._rollout

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        if name == TALK.name and self._current.task.mode == "conv":
            message = arguments.get("message")
            if not isinstance(message, str) or not message.strip():
                return _NOTHING_SAID
            return self._current.say(message) or _ENDED
        return self._current.call(name, arguments)

    def _earned(self) -> float | None:
        """Return the reward, or `None`, TRL's sign for a rollout that has none."""
        try:
            return self._current.reward()
        except EnvironmentFault:
            return None


class GradedAnyway(RolloutEnvironment):
    """An environment whose end is graded wherever it stands."""

    def get_reward(self) -> float | None:
        """Return what was earned."""
        return self._earned()


@dataclass(frozen=True)
class EnvironmentFactory:
    """Makes the environments of one pack and mode. Can be pickled, for TRL's workers.

    Attributes:
        settings: The settings, as JSON.
        key: The pack and the mode, as in the data set's column `environment`.
    """

    settings: str
    key: str

    def __call__(self) -> RolloutEnvironment:
        """Return a fresh environment."""
        return _environment_class(self.settings, self.key)()


@dataclass(frozen=True)
class TrlEnvironments:
    """What GRPOTrainer takes: three properties for three of its arguments.

    Attributes:
        settings: What to train on, and how.
        eos_token_ids: The tokens that end a reply. Only needed where episodes that
            run into a limit earn 0: a reply that was cut shows by their absence.
    """

    settings: RlSettings = field(default_factory=RlSettings)
    eos_token_ids: Sequence[int] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each scenario and mode."""
        return [_row(task, self.settings) for task in training_set(self.settings).tasks]

    @property
    def train_dataset(self) -> Any:
        """The rows as a `datasets.Dataset`."""
        from datasets import Dataset

        return Dataset.from_list(self.rows)

    @property
    def environment_factory(self) -> dict[str, EnvironmentFactory]:
        """A factory for each pack and mode."""
        keys = dict.fromkeys(_key(task) for task in training_set(self.settings).tasks)
        settings = self.settings.model_dump_json()
        return {key: EnvironmentFactory(settings, key) for key in keys}

    @property
    def reward_funcs(self) -> list[Callable[..., list[float | None]]]:
        """None when environments grade themselves, else one that asks for a proper ending."""
        if self.settings.grades_truncated:
            return []
        return [ProperEnding(tuple(self.eos_token_ids))]


@dataclass(frozen=True)
class ProperEnding:
    """A reward function that gives what was earned if the model ended its work itself."""

    eos_token_ids: tuple[int, ...] = ()
    __name__ = "reward"

    def __call__(
        self,
        environments: Sequence[RolloutEnvironment],
        completions: Sequence[Sequence[dict[str, Any]]],
        completion_ids: Sequence[Sequence[int]],
        **columns: object,
    ) -> list[float | None]:
        """Return the reward of each rollout; see TRL's reward functions."""
        earned = []
        for environment, messages, ids in zip(
            environments, completions, completion_ids, strict=True
        ):
            cut = bool(self.eos_token_ids) and (not ids or ids[-1] not in self.eos_token_ids)
            last = messages[-1] if messages else {}
            says = last.get("role") == "assistant" and not last.get("tool_calls")
            if says and not cut and environment._current.task.mode == "non_conv":
                environment._current.say(str(last.get("content") or ""))
            earned.append(environment._earned())
        return earned


def _key(task: RlTask) -> str:
    return f"{task.pack.info.id}:{task.mode}"


def _row(task: RlTask, settings: RlSettings) -> dict[str, Any]:
    prompt = task.system_prompt(settings)
    request = task.scenario.task
    if task.mode == "conv":
        # The user's first words come from `reset`, since a model may say them.
        prompt, request = prompt + _HOW_TO_TALK, ""
    return {
        "prompt": [{"role": "system", "content": prompt}, {"role": "user", "content": request}],
        "environment": _key(task),
        "task": task.name,
        "split": task.pack.info.split,
    }


@cache
def _environment_class(settings: str, key: str) -> type[RolloutEnvironment]:
    """Return the class of a pack and mode; one class, since TRL rewards by exact class."""
    selected = training_set(RlSettings.model_validate_json(settings))
    task = next(task for task in selected.tasks if _key(task) == key)
    tools = task.pack.environment.tools
    reserved = _RESERVED | ({TALK.name} if task.mode == "conv" else set())
    clash = sorted(reserved & {tool.name for tool in tools})
    if clash:
        raise UsageError(f"{key}: the tool '{clash[0]}' has a name that TRL needs; rename it")
    offered = (*tools, TALK) if task.mode == "conv" else (*tools,)
    base = GradedAnyway if selected.settings.grades_truncated else RolloutEnvironment
    methods = {tool.name: tool_method(tool, RolloutEnvironment._call) for tool in offered}
    members = {
        **methods,
        "_tools": offered,
        "_training_set": selected,
        "__doc__": task.pack.info.introduction,
    }
    return cast(type[RolloutEnvironment], type(key, (base,), members))
