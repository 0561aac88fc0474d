"""BFCL Multi-Turn, versions 3 and 4, without any model client.

The multi-turn part of the Berkeley Function Calling Leaderboard
(https://gorilla.cs.berkeley.edu/leaderboard.html). Its data and backends are
those of the official package; the loop, the calls and the checker are written
anew and agree with the official ones.
"""

from envscaler_eval.benchmarks.bfcl.checker import Verdict, check
from envscaler_eval.benchmarks.bfcl.data import SNAPSHOTS, Snapshot, fetch
from envscaler_eval.benchmarks.bfcl.dataset import CATEGORIES, Category, Dataset, Entry, load

__all__ = [
    "CATEGORIES",
    "SNAPSHOTS",
    "Category",
    "Dataset",
    "Entry",
    "Snapshot",
    "Verdict",
    "check",
    "fetch",
    "load",
]
