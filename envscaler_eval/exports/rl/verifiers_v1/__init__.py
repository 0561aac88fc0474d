"""A taskset for verifiers v1 (PyPI `verifiers`), tested with 0.4.0.

Needs `pip install envscaler-eval[verifiers]`. verifiers finds a taskset as an
importable package of its own, which `envscaler export rl --target verifiers` writes.
"""

from envscaler_eval.exports.rl.verifiers_v1.env import EnvScalerEnv, EnvScalerEnvConfig
from envscaler_eval.exports.rl.verifiers_v1.harness import ChatHarness, ChatHarnessConfig
from envscaler_eval.exports.rl.verifiers_v1.task import EnvScalerTask, EnvScalerTaskConfig
from envscaler_eval.exports.rl.verifiers_v1.taskset import (
    EnvScalerConfig,
    EnvScalerTaskset,
    exported_taskset,
)

__all__ = [
    "ChatHarness",
    "ChatHarnessConfig",
    "EnvScalerConfig",
    "EnvScalerEnv",
    "EnvScalerEnvConfig",
    "EnvScalerTask",
    "EnvScalerTaskConfig",
    "EnvScalerTaskset",
    "exported_taskset",
]
