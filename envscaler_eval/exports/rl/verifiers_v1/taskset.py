"""The taskset: a task for each scenario and mode."""

import verifiers.v1 as vf

from envscaler_eval.exports.rl.training_set import training_set
from envscaler_eval.exports.rl.verifiers_v1.task import (
    EnvScalerData,
    EnvScalerTask,
    EnvScalerTaskConfig,
)
from envscaler_eval.exports.rl.verifiers_v1.toolset import RolloutToolset, RolloutToolsetConfig


class EnvScalerConfig(vf.TasksetConfig):
    """What tasks there are, and where their tools run.

    Attributes:
        task: The knobs of the tasks, and with them what is selected.
        tools: Where the tool server runs.
    """

    task: EnvScalerTaskConfig = EnvScalerTaskConfig()
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class EnvScalerTaskset(vf.Taskset[EnvScalerTask, EnvScalerConfig]):
    """Scenarios to train on."""

    @classmethod
    def toolsets(cls, config: EnvScalerConfig) -> list[vf.Toolset]:
        """Return the one tool server of all rollouts."""
        return [
            RolloutToolset(
                RolloutToolsetConfig(settings=config.task.settings, **dict(config.tools))
            )
        ]

    def load(self) -> list[EnvScalerTask]:
        """Return the tasks. In conversation the request is the user's, and not in the prompt."""
        settings = self.config.task.settings
        return [
            EnvScalerTask(
                EnvScalerData(
                    id=task.name,
                    name=task.name,
                    prompt=task.scenario.task if task.mode == "non_conv" else None,
                    system_prompt=task.system_prompt(settings),
                    mode=task.mode,
                ),
                self.config.task,
            )
            for task in training_set(settings).tasks
        ]
