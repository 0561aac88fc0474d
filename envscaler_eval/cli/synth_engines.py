"""Where the commands of the synthesis have environments made, and what they tell of it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console

from envscaler_eval.cli.engine_options import (
    EngineName,
    chosen_engine,
    slurm_folder,
    tell_of_slurm,
)

if TYPE_CHECKING:
    from envscaler_eval.cli.synth_display import Display
    from envscaler_eval.sweep import Engine
    from envscaler_eval.sweep.synth_run import SharedRun, SynthOutcome
    from envscaler_eval.synth.artefacts import Artefacts
    from envscaler_eval.synth.models import Models
    from envscaler_eval.synth.pipeline import Run

ENGINE = Annotated[EngineName, typer.Option(help="Where environments are made.")]
WORKERS = Annotated[int, typer.Option(min=1, help="How many environments are made at once.")]
STORE = Annotated[
    str | None,
    typer.Option(help="A folder or URL that all workers reach; by default OUT/work."),
]

Made = TypeVar("Made")

_UNFINISHED_SHOWN = 5


@dataclass(frozen=True)
class Places:
    """Where environments are made.

    Attributes:
        engine: What makes them; `None` for this process alone.
        store: Where workers put what they make.
        slurm: Where Slurm's script goes; `None` for other engines.
        submit: Whether the script is submitted.
    """

    engine: "Engine | None"
    store: str
    slurm: Path | None
    submit: bool

    def outcome(
        self,
        artefacts: "Artefacts",
        models: "Models",
        concurrency: int,
        display: "Display",
        alone: "Callable[[Run], Coroutine[Any, Any, list[Made]]]",
        shared: "Callable[[SharedRun], SynthOutcome[Made]]",
    ) -> "SynthOutcome[Made]":
        """Make environments, and return what came of it.

        Args:
            artefacts: The records of the run.
            models: Who answers.
            concurrency: How many items are worked on at once.
            display: Shows how far it is.
            alone: Makes them in this process.
            shared: Makes them over the engine.

        Raises:
            UsageError: There are more workers than connections, or the run cannot go on.
        """
        from envscaler_eval.sweep import Store
        from envscaler_eval.sweep.synth_run import SharedRun, SynthOutcome
        from envscaler_eval.synth.pipeline import Run

        if self.engine is None:
            run = Run(artefacts, models, concurrency, display)
            with display:
                return SynthOutcome(asyncio.run(alone(run)), run.unfinished)
        over = SharedRun(
            artefacts,
            models,
            self.engine,
            Store(self.store),
            concurrency,
            display,
            display.environments_done,
        )
        with display:
            return shared(over)


def chosen_places(
    out: Path,
    engine: EngineName,
    workers: int,
    store: str | None,
    *,
    slurm_dir: Path | None,
    submit: bool,
    **options: Any,
) -> Places:
    """Return the places that options name.

    Args:
        out: The run's folder.
        engine: The engine's name.
        workers: How many environments are made at once.
        store: Where workers put what they make.
        slurm_dir: Where Slurm's script goes.
        submit: Whether it is submitted.
        options: The other options of `chosen_engine`.

    Raises:
        UsageError: Ray is asked for and not installed, or Slurm's script has no folder.
    """
    where = store or str(out / "work")
    if engine == "local" and workers == 1 and store is None:
        return Places(None, where, None, submit)
    folder = slurm_folder(where, engine, slurm_dir)
    runner = chosen_engine(engine, workers, folder=folder, submit=submit, **options)
    return Places(runner, where, folder if engine == "slurm" else None, submit)


def tell_outcome(
    console: Console, outcome: "SynthOutcome[Any]", places: Places, *, is_good: bool
) -> None:
    """Tell what a synthesis has left undone, and how to go on.

    Args:
        console: Where.
        outcome: What came of it.
        places: Where environments were made.
        is_good: Whether what was made is what was wanted.

    Raises:
        typer.Exit: With 1, where it is not, or something is undone that Slurm was not given.
    """
    tell_unfinished(console, outcome.unfinished)
    for line in outcome.failures:
        typer.echo(line, err=True)
    if outcome.missing and places.slurm is not None:
        then = "give the same command again, for what they make"
        tell_of_slurm(places.slurm, places.submit, then)
        if not outcome.unfinished:
            return
    elif outcome.missing:
        typer.echo(
            f"Not complete: {outcome.missing} environments are not done; the same command goes on.",
            err=True,
        )
    if outcome.missing or outcome.unfinished or not is_good:
        raise typer.Exit(1)


def tell_unfinished(console: Console, unfinished: dict[tuple[str, str], str]) -> None:
    """Name what a run could not finish, and how to go on."""
    if not unfinished:
        return
    for (stage, item), reason in list(unfinished.items())[:_UNFINISHED_SHOWN]:
        console.print(f"{stage}: {item}: {reason}", markup=False, soft_wrap=True)
    console.print(f"{len(unfinished)} unfinished; give the same command again to go on with them")
