"""Where items run: on this machine, on a Ray cluster, or as a Slurm array job."""

from envscaler_eval.sweep.engines.local import LocalEngine
from envscaler_eval.sweep.engines.on_ray import RayEngine
from envscaler_eval.sweep.engines.slurm import SlurmEngine

__all__ = ["LocalEngine", "RayEngine", "SlurmEngine"]
