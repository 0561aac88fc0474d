"""The command that audits packs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

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
from envscaler_eval.cli.packs import split_names
from envscaler_eval.errors import UsageError
from envscaler_eval.output_files import check_writable, write_output
from envscaler_eval.pack import find_packs

if TYPE_CHECKING:
    from envscaler_eval.audit import PackCard


def audit(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ENV[/SCENARIO]]...", help="What to audit; all by default."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the cards to this file.")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained page.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = os.cpu_count() or 1,
    record: Annotated[
        bool, typer.Option("--record", help="Write the numbers into each pack.yaml.")
    ] = False,
    isolation: Annotated[
        str, typer.Option(help="auto (isolated unless of the library), in_process or isolated.")
    ] = "auto",
    allow_weak_isolation: Annotated[
        bool, typer.Option(help="Go on where this machine lacks a protection.")
    ] = False,
    engine: Annotated[
        EngineName, typer.Option(help="Where parts of audits run; all but local need --out.")
    ] = "local",
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="A folder or URL for the results of parts."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many parts run at once; by default --jobs.")
    ] = None,
    cpus: CPUS = 1.0,
    memory_gb: MEMORY = None,
    ray_address: RAY_ADDRESS = None,
    slurm_dir: SLURM_DIR = None,
    slurm_option: SLURM_OPTION = None,
    submit: SUBMIT = False,
) -> None:
    """Try to earn rewards without the work, and to lose them with it.

    Exits with 1 when a pack does not pass. With --out, parts are done over an engine, as
    sweeps are, and what is done is not done again.
    """
    from pydantic import TypeAdapter

    from envscaler_eval.audit import PackCard, Selection, audit_packs, record_quality
    from envscaler_eval.audit.report import html_page
    from envscaler_eval.isolation import IsolationPolicy, isolation_choice
    from envscaler_eval.sweep import Store
    from envscaler_eval.sweep.audit_run import AuditOutcome, audit_over

    if out is None and (engine != "local" or workers is not None):
        raise UsageError(f"--out is needed with --engine {engine} and --workers: a folder or URL")
    check_writable(json_file, html_file)
    policy = IsolationPolicy(isolation_choice(isolation), allow_weak_isolation)
    chosen: dict[Path, list[str]] = {}
    for name in what or [str(folder) for folder in find_packs()]:
        for folder, scenario in split_names(name):
            chosen.setdefault(folder, []).extend([scenario] if scenario else [])
    selections = [Selection(folder, tuple(names)) for folder, names in chosen.items()]
    folder = slurm_folder(out or "", engine, slurm_dir)
    runner = chosen_engine(
        engine,
        workers or jobs,
        folder=folder,
        ray_address=ray_address,
        cpus=cpus,
        memory_gb=memory_gb,
        submit=submit,
        slurm_option=slurm_option,
    )
    console = Console()
    with Progress(
        TextColumn("auditing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    ) as progress:
        bar = progress.add_task("auditing", total=None)

        def tell(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        if out is None:
            outcome = AuditOutcome(audit_packs(selections, jobs, tell, policy))
        else:
            outcome = audit_over(selections, runner, Store(out), tell, policy)
    if outcome.missing:
        for line in outcome.failures:
            typer.echo(line, err=True)
        if engine == "slurm":
            tell_of_slurm(folder, submit, "give the same command again, for the cards")
            return
        typer.echo(
            f"Not complete: {outcome.missing} parts are not done; the same command goes on.",
            err=True,
        )
        raise typer.Exit(1)
    cards = outcome.cards
    print_cards(console, cards)
    if json_file:
        write_output(json_file, TypeAdapter(list[PackCard]).dump_json(list(cards), indent=2))
    if html_file:
        write_output(html_file, html_page(cards))
    if record:
        for selection, card in zip(selections, cards, strict=True):
            if not selection.scenarios:
                record_quality(selection.folder, card)
    if not all(card.passed for card in cards):
        raise typer.Exit(1)


def print_cards(console: Console, cards: "Sequence[PackCard]") -> None:
    """Print what audits have found: a row for each pack, the rates, and each failure."""
    from envscaler_eval.audit.report import failures, rates_text, summary_table

    console.print(summary_table(cards))
    console.print(rates_text(cards))
    for line in failures(cards):
        console.print(line, markup=False, soft_wrap=True)


def audit_benchmark(
    name: Annotated[str, typer.Argument(metavar="BENCHMARK", help="Which; `data list` has them.")],
    data_dir: Annotated[
        Path | None, typer.Option(help="A folder that holds a folder for each benchmark.")
    ] = None,
) -> None:
    """Show what a benchmark gives to its ground truth, and to doing nothing."""
    from envscaler_eval.audit.ground_truth import audit_ground_truth
    from envscaler_eval.benchmarks.ground_truth import GROUND_TRUTHS

    if name not in GROUND_TRUTHS:
        raise UsageError(f"there is no benchmark '{name}'; use one of {', '.join(GROUND_TRUTHS)}")
    table = Table("tasks", "ground truth", "doing nothing")
    bounds = audit_ground_truth(GROUND_TRUTHS[name](data_dir))
    for bound in bounds:
        table.add_row(
            bound.group,
            f"{bound.solved.count}/{bound.solved.total}",
            f"{bound.floor.count}/{bound.floor.total} = {bound.floor.value:.1%}",
        )
    console = Console()
    console.print(table)
    for bound in bounds:
        for task in bound.unsolved:
            console.print(f"{task}: its ground truth does not score 1", markup=False)
