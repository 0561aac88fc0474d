"""Agents and simulated users on the Agent part of ACEBench."""

from envscaler_eval.solvers.acebench.solver import acebench_dialogue
from envscaler_eval.solvers.acebench.start import start_acebench

__all__ = ["acebench_dialogue", "start_acebench"]
