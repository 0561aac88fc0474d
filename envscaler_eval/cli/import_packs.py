"""Commands that make packs of published data."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from envscaler_eval.errors import UsageError

if TYPE_CHECKING:
    from envscaler_eval.synth.importers import ImportReport

import_app = typer.Typer(help="Make packs of published data.", no_args_is_help=True)

_OUT = Annotated[Path, typer.Option("--out", "-o", help="The folder for the packs.")]
_SHOWN = 20


@import_app.command("envscaler-hub")
def import_envscaler_hub(
    out: _OUT,
    env: Annotated[
        Path | None, typer.Option("--env", help="The released environments, as JSON.")
    ] = None,
    scenarios: Annotated[
        list[Path] | None,
        typer.Option("--scenarios", help="Released scenarios, as JSON; may be repeated."),
    ] = None,
    envs: Annotated[
        str | None, typer.Option(help="Ids of environments, comma-separated; all by default.")
    ] = None,
    split: Annotated[
        Literal["train", "test"], typer.Option(help="Whether models may be trained on them.")
    ] = "train",
    now: Annotated[
        str | None, typer.Option(help="When the scenarios play; the release tells none.")
    ] = None,
    allow_weak_isolation: Annotated[
        bool, typer.Option(help="Go on where this machine lacks a protection.")
    ] = False,
) -> None:
    """Import EnvScaler's release: from files, or pinned from the Hugging Face Hub."""
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.synth.importers import ImportChoices, import_release
    from envscaler_eval.synth.importers.envscaler_hub import NOW
    from envscaler_eval.synth.importers.official_files import (
        ENVIRONMENTS,
        RL_SCENARIOS,
        load_published,
        read_release,
    )

    if (env is None) != (not scenarios):
        raise UsageError("give both --env and --scenarios, or neither to load them from the Hub")
    if env is None:
        environments = load_published(ENVIRONMENTS, "environments")
        tasks = [load_published(RL_SCENARIOS, "scenarios")]
    else:
        environments = read_release(env, "environments")
        tasks = [read_release(file, "scenarios") for file in scenarios or ()]
    wanted = tuple(name.strip() for name in (envs or "").split(",") if name.strip())
    isolation = IsolationPolicy("isolated", allow_weak_isolation)
    choices = ImportChoices(wanted, split, now or NOW, isolation)
    with Progress(
        TextColumn("importing"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
    ) as progress:
        bar = progress.add_task("importing", total=None)
        report = import_release(
            environments,
            tasks,
            out,
            choices,
            lambda done, total: progress.update(bar, completed=done, total=total),
        )
    _show(report, out)


@import_app.command("envscaler-trajectories")
def import_envscaler_trajectories(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The released trajectories, JSON.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    table: Annotated[
        Literal["parquet", "jsonl"], typer.Option("--format", help="The form of the table.")
    ] = "parquet",
) -> None:
    """Make EnvScaler's released trajectories a data set like those of `export sft`."""
    from envscaler_eval.exports.sft import write_conversations
    from envscaler_eval.synth.importers.official_trajectories import ReleasedTrajectories

    released = ReleasedTrajectories(file)

    def counts() -> list[tuple[str, int, int]]:
        return [("kept", released.kept["non_conv"], released.kept["conv"])]

    write_conversations(released.rows(), counts, out, table)
    _tell("left out", released.dropped)
    typer.echo(f"{released.kept.total()} trajectories: {out}")


@import_app.command("hub")
def import_hub(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A folder, or a data set on the Hub.")
    ],
    out: _OUT,
    revision: Annotated[
        str | None, typer.Option(help="The commit of a data set on the Hub.")
    ] = None,
) -> None:
    """Import packs that `envscaler export hub` has written."""
    from envscaler_eval.synth.importers import import_shared

    _show(import_shared(source, out, revision), out)


def _show(report: "ImportReport", out: Path) -> None:
    from envscaler_eval.synth.importers.report import REPORT_FILE

    table = Table("imported", "")
    table.add_row("environments", str(len(report.packs)))
    for what, number in report.counts.items():
        table.add_row(what, str(number))
    table.add_row("left out", str(len(report.dropped)))
    Console().print(table)
    more = f" in {out / REPORT_FILE}"
    _tell("left out", report.dropped, more)
    _tell("note", report.notes, more)
    typer.echo(f"packs: {out}")


def _tell(label: str, lines: Sequence[str], more: str = "") -> None:
    for line in lines[:_SHOWN]:
        typer.echo(f"{label}: {line}", err=True)
    if len(lines) > _SHOWN:
        typer.echo(f"{label}: {len(lines) - _SHOWN} more{more}", err=True)
