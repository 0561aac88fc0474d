"""Inspect tasks."""

from envscaler_eval.tasks.envscaler import envscaler

__all__ = ["envscaler"]
