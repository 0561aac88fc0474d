"""Environments behind an OpenEnv server (PyPI `openenv`), tested with 0.10.0.

Needs `pip install envscaler-eval[openenv]`. `envscaler export rl --target openenv`
writes a package that `openenv serve` and `openenv push` take.
"""

from envscaler_eval.exports.rl.openenv.client import EnvScalerClient
from envscaler_eval.exports.rl.openenv.models import (
    EnvScalerAction,
    EnvScalerObservation,
    EnvScalerState,
)
from envscaler_eval.exports.rl.openenv.server import EnvScalerEnvironment, make_app

__all__ = [
    "EnvScalerAction",
    "EnvScalerClient",
    "EnvScalerEnvironment",
    "EnvScalerObservation",
    "EnvScalerState",
    "make_app",
]
