"""Scorers: end states against checklists, and those of the benchmarks."""

from envscaler_eval.scorers.acebench import acebench
from envscaler_eval.scorers.bfcl import bfcl
from envscaler_eval.scorers.checklist import checklist
from envscaler_eval.scorers.simulated_user import simulated_user
from envscaler_eval.scorers.tau_bench import tau_bench

__all__ = ["acebench", "bfcl", "checklist", "simulated_user", "tau_bench"]
