"""Commands about benchmark data: fetch, list."""

from pathlib import Path
from typing import Annotated

import typer

from envscaler_eval.errors import UsageError

data = typer.Typer(help="The data of the benchmarks, which is not shipped.", no_args_is_help=True)

_DATA_DIR = Annotated[
    Path | None,
    typer.Option(
        help="The folder that holds a folder for each benchmark; by default the one named by "
        "ENVSCALER_DATA, else ~/.cache/envscaler-eval."
    ),
]


@data.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(metavar="BENCHMARK", help="See `envscaler data list`.")],
    snapshot: Annotated[
        str | None, typer.Option(help="Which snapshot, where a benchmark has several.")
    ] = None,
    data_dir: _DATA_DIR = None,
) -> None:
    """Download a benchmark's pinned data and verify it."""
    from envscaler_eval.benchmarks.catalogue import BENCHMARKS

    known = [benchmark for benchmark in BENCHMARKS if benchmark.name == name]
    if not known:
        names = ", ".join(dict.fromkeys(benchmark.name for benchmark in BENCHMARKS))
        raise UsageError(f"there is no benchmark '{name}'; use one of {names}")
    chosen = [one for one in known if snapshot in (None, one.snapshot)]
    if not chosen:
        snapshots = ", ".join(one.snapshot for one in known if one.snapshot) or "none"
        raise UsageError(f"{name} has no snapshot '{snapshot}'; there are: {snapshots}")
    typer.echo(chosen[0].fetch(data_dir))


@data.command("list")
def list_data(data_dir: _DATA_DIR = None) -> None:
    """List the benchmarks and whether their data is there, whole and unchanged."""
    from rich.console import Console
    from rich.table import Table

    from envscaler_eval.benchmarks.catalogue import BENCHMARKS
    from envscaler_eval.benchmarks.data import DataError, data_root

    table = Table("name", "benchmark", "version", "licence", "data")
    faults = []
    for benchmark in BENCHMARKS:
        state = "ready"
        try:
            benchmark.locate(data_dir)
        except DataError as fault:
            faults.append(fault.message)
            state = "not ready"
        version = benchmark.version[:12]
        table.add_row(benchmark.name, benchmark.title, version, benchmark.licence, state)
    Console().print(table)
    for line in (f"folder: {data_root(data_dir)}", *faults):
        typer.echo(line)
