"""The airline domain: flights, reservations and users."""

from envscaler_eval.benchmarks.tau_bench.airline.tools import TABLES, TOOLS

__all__ = ["TABLES", "TOOLS"]
