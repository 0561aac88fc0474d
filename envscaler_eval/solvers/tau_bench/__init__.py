"""Trials of Tau-Bench with models: the agent, the simulated user, how a trial ends."""

from envscaler_eval.solvers.tau_bench.agent import tau_bench_agent
from envscaler_eval.solvers.tau_bench.start import start_trial

__all__ = ["start_trial", "tau_bench_agent"]
