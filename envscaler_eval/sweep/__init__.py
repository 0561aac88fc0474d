"""Large runs: one plan, cut into shards, on one machine, a Ray cluster or Slurm."""

from envscaler_eval.sweep.plan import SweepPlan, read_plan
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.sweep import Sweep, prepare
from envscaler_eval.sweep.work import Engine, Item, Report, Work, content_key, map_items

__all__ = [
    "Engine",
    "Item",
    "Report",
    "Store",
    "Sweep",
    "SweepPlan",
    "Work",
    "content_key",
    "map_items",
    "prepare",
    "read_plan",
]
