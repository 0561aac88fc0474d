"""The taskset: a task for each scenario and mode."""

from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pydantic import create_model

from envscaler_eval.exports.rl.folders import read_settings
from envscaler_eval.exports.rl.settings import RlSettings
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


def exported_taskset(folder: Path) -> type[EnvScalerTaskset]:
    """Return the taskset of an exported folder: the same, with its settings as defaults.

    Each is a default of its own, so that one can be set without losing the others.
    """
    fixed = read_settings(folder)
    fields: dict[str, Any] = {
        name: (field.annotation, getattr(fixed, name))
        for name, field in RlSettings.model_fields.items()
    }
    settings_type = create_model("ExportedSettings", __base__=RlSettings, **fields)

    class ExportedTaskConfig(EnvScalerTaskConfig):
        settings: settings_type = settings_type()  # type: ignore[valid-type]

    class ExportedConfig(EnvScalerConfig):
        task: ExportedTaskConfig = ExportedTaskConfig()

    class Taskset(EnvScalerTaskset, vf.Taskset[EnvScalerTask, ExportedConfig]):
        """Scenarios to train on, as exported."""

    return Taskset
