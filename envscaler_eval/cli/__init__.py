"""The `envscaler` command."""

from envscaler_eval.cli.app import main

__all__ = ["main"]
