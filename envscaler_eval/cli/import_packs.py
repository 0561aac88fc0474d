"""Commands that make packs of published data."""

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
    for label, lines in (("left out", report.dropped), ("note", report.notes)):
        for line in lines[:_SHOWN]:
            typer.echo(f"{label}: {line}", err=True)
        if len(lines) > _SHOWN:
            typer.echo(f"{label}: {len(lines) - _SHOWN} more in {out / REPORT_FILE}", err=True)
    typer.echo(f"packs: {out}")
