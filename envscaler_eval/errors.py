"""Mistakes of the person at the keyboard."""

import click


class UsageError(click.ClickException, ValueError):
    """Something asked for cannot be done: one line, and exit code 2.

    A click exception, so that `inspect` and `envscaler` alike show the line
    instead of a traceback.
    """

    exit_code = 2
