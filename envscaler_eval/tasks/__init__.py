"""Inspect tasks."""

from envscaler_eval.tasks.acebench_agent import acebench_agent
from envscaler_eval.tasks.envscaler import envscaler

__all__ = ["acebench_agent", "envscaler"]
