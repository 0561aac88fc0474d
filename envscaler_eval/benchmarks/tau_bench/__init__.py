"""Tau-Bench v1 (retail and airline), without any model client.

The benchmark of "tau-bench: A Benchmark for Tool-Agent-User Interaction in
Real-World Domains" (https://arxiv.org/abs/2406.12045), written anew after
sierra-research/tau-bench at the commit in `manifest.json`.
"""

from envscaler_eval.benchmarks.tau_bench.data import fetch
from envscaler_eval.benchmarks.tau_bench.dataset import Call, Domain, Task, load, tasks
from envscaler_eval.benchmarks.tau_bench.floor import NOOP_FLOOR
from envscaler_eval.benchmarks.tau_bench.grading import Grade, OutputMatch, grade
from envscaler_eval.benchmarks.tau_bench.oracle import Script, noop_script, oracle_script
from envscaler_eval.benchmarks.tau_bench.trial import Trial
from envscaler_eval.benchmarks.tau_bench.world import TauWorld, open_world

__all__ = [
    "NOOP_FLOOR",
    "Call",
    "Domain",
    "Grade",
    "OutputMatch",
    "Script",
    "Task",
    "TauWorld",
    "Trial",
    "fetch",
    "grade",
    "load",
    "noop_script",
    "open_world",
    "oracle_script",
    "tasks",
]
