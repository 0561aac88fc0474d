"""Results: logs as one table, and what can be said of them."""

from envscaler_eval.results.reading import read_results
from envscaler_eval.results.table import EpisodeRow, LogHeader, ResultTable

__all__ = ["EpisodeRow", "LogHeader", "ResultTable", "read_results"]
