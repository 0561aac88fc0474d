"""The retail domain: orders, products and users."""

from envscaler_eval.benchmarks.tau_bench.retail.tools import TABLES, TOOLS

__all__ = ["TABLES", "TOOLS"]
