"""Inspect tasks."""

from envscaler_eval.tasks.acebench_agent import acebench_agent
from envscaler_eval.tasks.bfcl_multi_turn import bfcl_multi_turn
from envscaler_eval.tasks.envscaler import envscaler
from envscaler_eval.tasks.tau_bench import tau_bench

__all__ = ["acebench_agent", "bfcl_multi_turn", "envscaler", "tau_bench"]
