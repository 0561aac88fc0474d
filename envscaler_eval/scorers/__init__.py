"""Scorers: end states against checklists, and those of the benchmarks."""

from envscaler_eval.scorers.acebench import acebench
from envscaler_eval.scorers.checklist import checklist

__all__ = ["acebench", "checklist"]
