"""The Agent part of ACEBench: data, worlds, protocols, scores and oracle scripts.

Nothing here runs a model.
"""

from envscaler_eval.benchmarks.acebench.conformance import replay
from envscaler_eval.benchmarks.acebench.data import fetch, locate
from envscaler_eval.benchmarks.acebench.dataset import Dataset, Task, load
from envscaler_eval.benchmarks.acebench.scoring import Score, Summary, score, summarise
from envscaler_eval.benchmarks.acebench.worlds import AceWorld

__all__ = [
    "AceWorld",
    "Dataset",
    "Score",
    "Summary",
    "Task",
    "fetch",
    "load",
    "locate",
    "replay",
    "score",
    "summarise",
]
