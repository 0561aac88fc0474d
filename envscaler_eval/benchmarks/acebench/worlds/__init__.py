"""The five platforms of ACEBench's Agent part, and the world that they make up."""

from envscaler_eval.benchmarks.acebench.worlds.world import AceWorld

__all__ = ["AceWorld"]
