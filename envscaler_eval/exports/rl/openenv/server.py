"""The server's side: an environment for each session, and the app that serves them."""

from functools import partial
from typing import Any
from uuid import uuid4

from fastapi import FastAPI
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl.openenv.models import (
    EnvScalerAction,
    EnvScalerObservation,
    EnvScalerState,
)
from envscaler_eval.exports.rl.rollout import RlTask, Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import training_set
from envscaler_eval.runtime import EnvironmentFault

NAME = "envscaler"
"""What the environment is called in the routes of OpenEnv's task API."""


class EnvScalerEnvironment(Environment[EnvScalerAction, EnvScalerObservation, EnvScalerState]):
    """Plays the scenarios of a training set, one at a time."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, settings: RlSettings) -> None:
        """Prepare to play.

        Args:
            settings: What to play, by which rules, for which reward.
        """
        super().__init__()
        self._settings = settings
        self._training_set = training_set(settings)
        self._rollout: Rollout | None = None
        self._state = EnvScalerState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task: str | None = None,
        index: int | None = None,
        split: str | None = None,
        **ignored: object,
    ) -> EnvScalerObservation:
        """Start an episode.

        Args:
            seed: Fixes the environment's chance, and the choice of a task that is
                not named; by default the settings' seed.
            episode_id: What to call it.
            task: What to play, `env/scenario:mode`.
            index: What to play, by its position in the split.
            split: The split that `index` counts in; by default all there is.
            ignored: What other environments take.
        """
        self.close()
        if task is None:
            tasks = self._tasks(split)
            task = tasks[(seed or 0) % len(tasks) if index is None else index].name
        rollout = self._training_set.start(task, seed)
        self._rollout = rollout
        self._state = EnvScalerState(episode_id=episode_id or str(uuid4()), task=task)
        return EnvScalerObservation(
            messages=rollout.messages,
            tools=[
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for tool in rollout.tools
            ],
        )

    def step(
        self, action: EnvScalerAction, timeout_s: float | None = None, **ignored: object
    ) -> EnvScalerObservation:
        """Make a call, or take in what the model says; the last step tells the reward."""
        rollout = self._rollout
        if rollout is None:
            raise UsageError("reset the environment before the first step")
        if rollout.over:
            return EnvScalerObservation(done=True)
        self._state.step_count += 1
        if action.type == "say":
            text = rollout.say(action.message) or ""
        else:
            text = rollout.call(action.tool_name, action.arguments)
        if self._state.step_count >= self._settings.steps(rollout.task.mode):
            rollout.end("step_limit")
        self._state.ended_by = rollout.ended_by
        if not rollout.over:
            return EnvScalerObservation(text=text)
        ending: dict[str, Any] = {"ended_by": rollout.ended_by}
        try:
            reward = rollout.reward()
        except EnvironmentFault as fault:
            # No reward is not a reward of 0.
            return EnvScalerObservation(
                text=text, done=True, metadata={**ending, "fault": str(fault)}
            )
        return EnvScalerObservation(text=text, done=True, reward=reward, metadata=ending)

    @property
    def state(self) -> EnvScalerState:
        """Where the episode stands."""
        return self._state

    def close(self) -> None:
        """Give up the episode."""
        if self._rollout is not None:
            self._rollout.close()
            self._rollout = None

    def get_metadata(self) -> EnvironmentMetadata:
        """Say what this is."""
        titles = ", ".join(pack.info.title for pack in self._training_set.packs)
        return EnvironmentMetadata(
            name=NAME, description=f"Stateful tool environments with checked rewards: {titles}"
        )

    def list_splits(self) -> list[str]:
        """Return the splits that there are tasks of; part of OpenEnv's task API."""
        return sorted({task.pack.info.split for task in self._training_set.tasks})

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the tasks of a split."""
        return [
            {"id": task.name, "index": index, "mode": task.mode, "tags": list(task.scenario.tags)}
            for index, task in enumerate(self._tasks(split))
        ]

    def num_tasks(self, split: str) -> int:
        """Return how many tasks a split has."""
        return len(self._tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a task by its position in the split."""
        return self.list_tasks(split)[index]

    def _tasks(self, split: str | None) -> list[RlTask]:
        return [t for t in self._training_set.tasks if split in (None, t.pack.info.split)]


def make_app(settings: RlSettings, max_concurrent_envs: int = 1024) -> FastAPI:
    """Return the server's app.

    Args:
        settings: What to play, by which rules, for which reward.
        max_concurrent_envs: How many sessions may be open at once.
    """
    # Read before the first session, so that what is wrong shows at the start.
    training_set(settings)
    app: FastAPI = create_app(
        partial(EnvScalerEnvironment, settings),
        EnvScalerAction,
        EnvScalerObservation,
        env_name=NAME,
        max_concurrent_envs=max_concurrent_envs,
        state_cls=EnvScalerState,
    )
    return app
