"""Inspect tasks."""

from envscaler_eval.tasks.envscaler import envscaler
from envscaler_eval.tasks.tau_bench import tau_bench

__all__ = ["envscaler", "tau_bench"]
