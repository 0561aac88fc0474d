"""Scorers: end states against checklists."""

from envscaler_eval.scorers.checklist import checklist

__all__ = ["checklist"]
