"""Agent loops over episodes, and over the dialogues of the benchmarks."""

from envscaler_eval.solvers.acebench import acebench_dialogue, start_acebench
from envscaler_eval.solvers.bfcl import bfcl_conversation, start_bfcl
from envscaler_eval.solvers.by_mode import by_mode
from envscaler_eval.solvers.conv import conv
from envscaler_eval.solvers.non_conv import non_conv
from envscaler_eval.solvers.start import close_episode, start_episode
from envscaler_eval.solvers.tau_bench import start_trial, tau_bench_agent

__all__ = [
    "acebench_dialogue",
    "bfcl_conversation",
    "by_mode",
    "close_episode",
    "conv",
    "non_conv",
    "start_acebench",
    "start_bfcl",
    "start_episode",
    "start_trial",
    "tau_bench_agent",
]
