"""Options that all commands on logs of several runs have."""

from typing import Annotated

import typer

SCORE = Annotated[str | None, typer.Option(help="Which score; by default the task's.")]
REPEATS_AS_TRIALS = Annotated[
    bool,
    typer.Option(
        "--repeats-as-trials",
        help="Count a sample that is in several logs of a run as further trials of it.",
    ),
]
ACCEPT_DIFFERENCES = Annotated[
    bool,
    typer.Option(
        "--accept-differences",
        help="Compare logs of different versions, arguments, users or data all the same.",
    ),
]
