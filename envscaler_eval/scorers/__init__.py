"""Scorers: end states against what they should be."""

from envscaler_eval.scorers.checklist import checklist
from envscaler_eval.scorers.tau_bench import tau_bench

__all__ = ["checklist", "tau_bench"]
