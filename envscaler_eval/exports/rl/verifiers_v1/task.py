"""A scenario as a verifiers task: its tools, its limit and its reward."""

import asyncio

import verifiers.v1 as vf

from envscaler_eval.exports.rl.rollout import RlTask, Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import training_set
from envscaler_eval.exports.rl.verifiers_v1.state import RolloutState
from envscaler_eval.scenario import ToolCall
from envscaler_eval.solvers.protocol import Mode
from envscaler_eval.solvers.record import EndedBy

_ENDED_BY: dict[str | None, EndedBy] = {"agent_completed": "completed", "user_closed": "user_stop"}
"""verifiers' stop conditions for the proper endings; all others are limits or faults."""


class EnvScalerTaskConfig(vf.TaskConfig):
    """The knobs of a task.

    Attributes:
        settings: What is played, by which rules, for which reward.
    """

    settings: RlSettings = RlSettings()


class EnvScalerData(vf.TaskData):
    """The data of a task: which scenario, in which mode."""

    mode: Mode = "non_conv"


class EnvScalerTask(vf.Task[EnvScalerData, RolloutState, EnvScalerTaskConfig]):
    """A scenario in one mode."""

    @property
    def key(self) -> str:
        """`env/scenario:mode`, the same across versions."""
        return str(self.data.id)

    async def setup(self, trace: vf.Trace) -> None:
        """Tell the tool server whose calls it will get."""
        trace.state.task = self.key
        trace.state.episode = trace.id

    @vf.stop
    async def step_limit(self, trace: vf.Trace) -> bool:
        """Whether the model has had as many turns as it may."""
        return bool(trace.num_turns >= self.config.settings.steps(self.data.mode))

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace) -> float:
        """Play the calls again and grade where they lead."""
        ended_by = _ENDED_BY.get(trace.stop_condition, "step_limit")
        if trace.is_truncated:
            ended_by = "token_limit"
        calls = [ToolCall(name=c.name, arguments=c.arguments) for c in trace.state.calls]
        return await asyncio.to_thread(self._earned, calls, ended_by)

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the reference solution earns all, and doing nothing nothing.

        Imported scenarios have no solution, so that it cannot be said.
        """
        solution = list(self._task.scenario.solution)
        if not solution:
            return None
        earned = await asyncio.to_thread(self._earned, solution, "completed")
        return earned == 1.0 and await asyncio.to_thread(self._earned, [], "completed") == 0.0

    @property
    def _task(self) -> RlTask:
        return training_set(self.config.settings).task(self.key)

    def _earned(self, calls: list[ToolCall], ended_by: EndedBy) -> float:
        rollout: Rollout = training_set(self.config.settings).start(self.key)
        try:
            for call in calls:
                rollout.call(call.name, call.arguments)
            rollout.end(ended_by)
            return rollout.reward()
        finally:
            rollout.close()
