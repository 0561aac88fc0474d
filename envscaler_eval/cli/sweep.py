"""The commands that run large plans, and tell how they do."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_eval.cli.engine_options import (
    CPUS,
    MEMORY,
    RAY_ADDRESS,
    SLURM_DIR,
    SLURM_OPTION,
    SUBMIT,
    EngineName,
    chosen_engine,
    slurm_folder,
    tell_of_slurm,
)
from envscaler_eval.cli.log_options import HTML, JSON, MARKDOWN, SCORE, tell
from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import check_writable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from envscaler_eval.sweep import Report
    from envscaler_eval.sweep.shards import Shard

sweep = typer.Typer(
    help="Run many models, parameters and trials, on one machine or many.", no_args_is_help=True
)

_FOLDER = Annotated[str, typer.Argument(metavar="FOLDER", help="The sweep's folder or URL.")]


@sweep.command("run")
def run(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a YAML file.")],
    engine: Annotated[EngineName, typer.Option(help="Where shards run.")] = "local",
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", help="The folder or URL that it fills; by default sweeps/PLAN."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many shards run at once.")] = 1,
    cpus: CPUS = 1.0,
    memory_gb: MEMORY = None,
    ray_address: RAY_ADDRESS = None,
    slurm_dir: SLURM_DIR = None,
    slurm_option: SLURM_OPTION = None,
    submit: SUBMIT = False,
) -> None:
    """Run what a plan says and is not done yet, and show the results."""
    from envscaler_eval.sweep import Store, map_items, prepare, read_plan

    chosen = read_plan(plan)
    where = out or f"sweeps/{plan.stem}"
    folder = slurm_folder(where, engine, slurm_dir)
    runner = chosen_engine(
        engine,
        workers,
        folder=folder,
        ray_address=ray_address,
        cpus=cpus,
        memory_gb=memory_gb,
        submit=submit,
        slurm_option=slurm_option,
    )
    store = Store(where)
    try:
        ready = prepare(chosen, store, workers)
    except UsageError as fault:
        raise UsageError(f"{plan}: {fault}") from None
    try:
        started = map_items(ready.work, ready.items, runner, _progress(ready.shards))
    except KeyboardInterrupt:
        typer.echo("\nStopped; the same command goes on.", err=True)
        raise
    if engine == "slurm" and started:
        tell_of_slurm(folder, submit, f"see: envscaler sweep status {shlex.quote(where)}")
        return
    _finish(where)


@sweep.command("status")
def status(
    folder: _FOLDER,
    prices: Annotated[
        Path | None, typer.Option(help="YAML with dollars per million tokens, by model.")
    ] = None,
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
) -> None:
    """Tell how far a sweep has come, what failed and what was spent."""
    from envscaler_eval.prices import read_prices
    from envscaler_eval.sweep.documents import status_document
    from envscaler_eval.sweep.status import sweep_status

    check_writable(markdown_file, json_file, html_file)
    document = status_document(sweep_status(folder), read_prices(prices))
    tell(document, markdown_file, json_file, html_file)


@sweep.command("results")
def results(
    folder: _FOLDER,
    score: SCORE = None,
    markdown_file: MARKDOWN = None,
    json_file: JSON = None,
    html_file: HTML = None,
) -> None:
    """Show what each model scores. Every command on logs takes a sweep's folder too."""
    from envscaler_eval.results import read_results
    from envscaler_eval.sweep.documents import results_document

    check_writable(markdown_file, json_file, html_file)
    tell(results_document(read_results([folder]), score), markdown_file, json_file, html_file)


@sweep.command("work", hidden=True)
def work(
    job: Annotated[str, typer.Argument(help="The job that `sweep run --engine slurm` wrote.")],
    part: Annotated[int, typer.Option(min=0, help="Which task of the array this is.")],
    parts: Annotated[int, typer.Option(min=1, help="How many tasks there are.")],
) -> None:
    """Run the shards of one task of a Slurm array."""
    from envscaler_eval.sweep.engines.slurm import run_part

    if not run_part(job, part, parts, lambda report: typer.echo(_line(report, report.key))):
        raise typer.Exit(1)


def _finish(where: str) -> None:
    """Show the results of a sweep, and end with exit code 1 where some are missing."""
    from envscaler_eval.results import read_results
    from envscaler_eval.results.document import as_text
    from envscaler_eval.sweep.documents import results_document
    from envscaler_eval.sweep.status import sweep_status

    reached = sweep_status(where)
    if any(unit.shards_done for unit in reached.units):
        typer.echo(as_text(results_document(read_results([where]), None)))
    if not reached.is_complete:
        status = f"envscaler sweep status {shlex.quote(where)}"
        typer.echo(f"\nNot complete: see `{status}`; the same command goes on.", err=True)
        raise typer.Exit(1)


def _progress(shards: "Sequence[Shard]") -> "Callable[[Report], None]":
    """Return what tells of each run of a shard, on the error output."""
    names = {shard.key: f"{shard.unit.name}, shard {shard.place}" for shard in shards}

    def tell_report(report: "Report") -> None:
        typer.echo(_line(report, names[report.key]), err=True)

    typer.echo(f"{len(shards)} shards", err=True)
    return tell_report


def _line(report: "Report", name: str) -> str:
    told = f"{name}: {report.status}, {report.seconds:.0f} s"
    return f"{told}: {report.message}" if report.message else told
