"""Scorers: end states against checklists, and those of the benchmarks."""

from envscaler_eval.scorers.bfcl import bfcl
from envscaler_eval.scorers.checklist import checklist

__all__ = ["bfcl", "checklist"]
