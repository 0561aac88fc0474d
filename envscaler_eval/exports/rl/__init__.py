"""Environments for RL trainers: TRL, verifiers and OpenEnv.

The adapters of verifiers and OpenEnv are in folders of their own, since they need
those libraries: `envscaler_eval.exports.rl.verifiers_v1` and `.openenv`.
"""

from envscaler_eval.exports.rl.rollout import RlTask, Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import TrainingSet
from envscaler_eval.exports.rl.trl import TrlEnvironments

__all__ = ["RlSettings", "RlTask", "Rollout", "TrainingSet", "TrlEnvironments"]
