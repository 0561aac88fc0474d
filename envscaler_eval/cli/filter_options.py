"""Options of commands that choose among trajectories."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_eval.errors import UsageError

if TYPE_CHECKING:
    from envscaler_eval.exports.trajectory_filter import TrajectoryFilter, TurnRange
    from envscaler_eval.solvers.protocol import Mode

MIN_REWARD = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="The least reward of what is graded; by default 1."),
]
UNGRADED = Annotated[
    bool | None,
    typer.Option("--ungraded/--no-ungraded", help="Keep what is not graded; kept by default."),
]
ENDING = Annotated[
    bool | None,
    typer.Option("--proper-ending/--any-ending", help="Agent or user ended it; the default."),
]
FORMAT = Annotated[
    bool | None,
    typer.Option("--valid-format/--any-format", help="Every turn could be read; the default."),
]
SOUND_USER = Annotated[
    bool | None,
    typer.Option("--sound-user/--any-user", help="The user kept to its rules; the default."),
]
REASONING = Annotated[
    bool | None,
    typer.Option("--reasoning/--no-reasoning", help="Every turn shows its reasoning."),
]
TURNS = Annotated[
    str | None,
    typer.Option(
        help="How many turns of the assistant: 3:29, or 3:29,5:39 for Non-Conv and Conv; "
        "`paper` is the latter."
    ),
]


def chosen_filter(base: "TrajectoryFilter", **given: Any) -> "TrajectoryFilter":
    """Return a filter with what was given instead of its own.

    Args:
        base: The filter.
        given: Its attributes; `None` for what was not given.

    Raises:
        UsageError: A range of turns cannot be read.
    """
    from envscaler_eval.exports.trajectory_filter import TrajectoryFilter

    changed = {name: value for name, value in given.items() if value is not None}
    if "turns" in changed:
        changed["turns"] = _turns(changed["turns"])
    return TrajectoryFilter(**{**dict(base), **changed})


def _turns(text: str) -> "dict[Mode, TurnRange]":
    from envscaler_eval.exports.trajectory_filter import PAPER_TURNS

    if text == "paper":
        return PAPER_TURNS
    try:
        ranges = [(int(least), int(most)) for least, most in map(_halves, text.split(","))]
    except ValueError:
        ranges = []
    if len(ranges) not in (1, 2) or any(least > most for least, most in ranges):
        raise UsageError(f"--turns is '{text}'; write 3:29, 3:29,5:39 or paper")
    return {"non_conv": ranges[0], "conv": ranges[-1]}


def _halves(text: str) -> list[str]:
    return text.split(":")
