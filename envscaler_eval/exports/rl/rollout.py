"""A rollout: an episode and, in conversation, its user, without a model under training.

Every adapter to a trainer drives this one object: it says what the model is told,
makes its calls, answers what it says, and tells what was earned.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envscaler_eval.episode import CallRecord, Episode, Grade
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.users import User, make_user, opening
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.prompts import system_prompt
from envscaler_eval.solvers.protocol import Mode
from envscaler_eval.solvers.record import PROPER_ENDINGS, EndedBy
from envscaler_eval.solvers.simulated_user import UserFault
from envscaler_eval.world import ToolSpec

_LOG = logging.getLogger(__name__)

_OVER = json.dumps({"success": False, "error": "The episode is over; no call is made any more"})


@dataclass(frozen=True)
class RlTask:
    """A scenario in one mode.

    Attributes:
        pack: The scenario's pack.
        scenario: The scenario.
        mode: Whether there is a user to talk to.
    """

    pack: Pack
    scenario: Scenario
    mode: Mode

    @property
    def name(self) -> str:
        """`env/scenario:mode`, the id of Inspect's sample too."""
        return f"{self.scenario.name}:{self.mode}"

    def system_prompt(self, settings: RlSettings) -> str:
        """Return what the agent is told before it sees the task."""
        return system_prompt(self.pack.environment, self.scenario.now, self.mode, settings.rules)


class Rollout:
    """An episode being played for a trainer.

    Attributes:
        task: What is played.
        ended_by: What ended it, once it is over.
    """

    def __init__(self, task: RlTask, runtime: Runtime, settings: RlSettings) -> None:
        """Start at the beginning of the scenario, the same for the same settings.

        Args:
            task: What to play.
            runtime: Where its environment runs.
            settings: By which rules.

        Raises:
            EnvironmentFault: The environment does not start.
        """
        self.task = task
        self.ended_by: EndedBy | None = None
        self._settings = settings
        self._grade: Grade | None = None
        self._fault: EnvironmentFault | None = None
        self._episode = Episode(
            task.scenario,
            runtime,
            settings.seed,
            observations=settings.rules.observations,
            validate=settings.rules.validate,
        )

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The pack's tools: all that the agent can act with."""
        return self._episode.tools

    @property
    def isolation(self) -> str:
        """How far the environment is kept from doing harm."""
        return self._episode.isolation

    @property
    def calls(self) -> Sequence[CallRecord]:
        """The calls made so far."""
        return self._episode.calls

    @cached_property
    def opening(self) -> str:
        """What the other side says first: the task, or the user's first words.

        Raises:
            UserFault: The user says nothing usable.
        """
        return opening(self._user) if self._user else self.task.scenario.task

    @property
    def messages(self) -> list[dict[str, str]]:
        """What the model sees first."""
        return [
            {"role": "system", "content": self.task.system_prompt(self._settings)},
            {"role": "user", "content": self.opening},
        ]

    @cached_property
    def _user(self) -> User | None:
        # Only made when spoken to: who makes the calls may not be who talks.
        if self.task.mode == "non_conv":
            return None
        return make_user(self.task.scenario, self._settings)

    @property
    def over(self) -> bool:
        """Whether nothing can be done any more."""
        return self.ended_by is not None

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation; faulty calls are observations too."""
        if self.over:
            return _OVER
        observation = self._episode.call(name, arguments)
        raised = self._episode.calls[-1].status == "raised"
        if raised and self._settings.rules.raising_ends:
            self.ended_by = "error"
        return observation

    def say(self, text: str) -> str | None:
        """Take in what the model says without calling a tool.

        Returns:
            The user's answer, or `None` when the episode is over: at once where
            there is nobody to talk to, else when the user stops.
        """
        if self.over:
            return None
        if self._user is None:
            self.ended_by = "completed"
            return None
        try:
            answer = self._user.reply(text)
        except UserFault:
            self.ended_by = "user_fault"
            return None
        if answer is None:
            self.ended_by = "user_stop"
        return answer

    def end(self, ended_by: EndedBy) -> None:
        """End the episode from outside; nothing happens to one that is over."""
        if not self.over:
            self.ended_by = ended_by

    def grade(self) -> Grade:
        """Judge the final state; no call is made after it.

        Raises:
            EnvironmentFault: The state cannot be judged.
        """
        self.end("step_limit")
        if self._fault is not None:
            raise self._fault
        if self._grade is None:
            try:
                self._grade = self._episode.grade()
            except EnvironmentFault as fault:
                self._fault = fault
                _LOG.warning("%s has no reward: %s", self.task.name, fault)
                raise
            finally:
                self._episode.close()
        return self._grade

    def reward(self) -> float:
        """Return what was earned, in [0, 1]; ends the episode if it is not over.

        Raises:
            EnvironmentFault: The state cannot be judged, so that there is no reward.
        """
        grade = self.grade()
        assert self.ended_by is not None
        if self.ended_by not in PROPER_ENDINGS and not self._settings.grades_truncated:
            return 0.0
        return float(getattr(grade, self._settings.reward))

    def close(self) -> None:
        """Give up the environment. May be called twice."""
        self._episode.close()
