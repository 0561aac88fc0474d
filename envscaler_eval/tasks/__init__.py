"""Inspect tasks."""

from envscaler_eval.tasks.bfcl_multi_turn import bfcl_multi_turn
from envscaler_eval.tasks.envscaler import envscaler

__all__ = ["bfcl_multi_turn", "envscaler"]
