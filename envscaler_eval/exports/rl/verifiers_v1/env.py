"""How one task becomes one episode: alone, or with a user to talk to."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import cast

import verifiers.v1 as vf

from envscaler_eval.exports.rl.training_set import training_set
from envscaler_eval.exports.rl.users import make_user, opening
from envscaler_eval.exports.rl.verifiers_v1.task import EnvScalerTask
from envscaler_eval.solvers.simulated_user import UserFault

_TALKING_AT_ONCE = 1024


class EnvScalerEnvConfig(vf.EnvConfig):
    """The one seat: the model that is trained. The user is the environment's."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class EnvScalerEnv(vf.Env[EnvScalerEnvConfig]):
    """Plays a task in its mode."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Let the model work, and talk with the user where there is one."""
        scenario_task = cast(EnvScalerTask, task)
        if scenario_task.data.mode == "non_conv":
            await agents.agent.run(task)
            return
        settings = scenario_task.config.settings
        scenario = training_set(settings).task(scenario_task.key).scenario
        user = make_user(scenario, settings)
        loop = asyncio.get_running_loop()
        async with agents.agent.interaction(task) as talk:
            try:
                said: str | None = await loop.run_in_executor(_threads(), opening, user)
                while said is not None:
                    segment = await talk.turn(said)
                    if segment.terminated:
                        return
                    said = await loop.run_in_executor(_threads(), user.reply, segment.last_reply)
            except UserFault:
                talk.trace.stop("user_fault")


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads to wait for users in; made as they are needed."""
    return ThreadPoolExecutor(_TALKING_AT_ONCE, thread_name_prefix="envscaler-user")
