"""The options that say where pieces of work run."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from envscaler_eval.errors import UsageError

if TYPE_CHECKING:
    from envscaler_eval.sweep import Engine

EngineName = Literal["local", "ray", "slurm"]
CPUS = Annotated[float, typer.Option(min=0.1, help="Ray, Slurm: CPUs of a piece.")]
MEMORY = Annotated[float | None, typer.Option(min=0.1, help="Ray, Slurm: memory of a piece.")]
RAY_ADDRESS = Annotated[
    str | None,
    typer.Option(help="Ray: the cluster, `auto` for the one at hand; by default a new one."),
]
SLURM_DIR = Annotated[
    Path | None, typer.Option(help="Slurm: where the script goes; all nodes must see it.")
]
SLURM_OPTION = Annotated[
    list[str] | None, typer.Option(help="Slurm: an option of sbatch; may be repeated.")
]
SUBMIT = Annotated[bool, typer.Option("--submit", help="Slurm: call sbatch with the script.")]


def slurm_folder(where: str, engine: EngineName, slurm_dir: Path | None) -> Path:
    """Return where Slurm's script goes.

    Raises:
        UsageError: Work in a store behind an address names no folder, or another engine has
            no use for one.
    """
    _check_engine(engine, "slurm", {"--slurm-dir": slurm_dir})
    where = where.removeprefix("file://")
    if engine == "slurm" and slurm_dir is None and "://" in where:
        raise UsageError("--slurm-dir is needed beside a URL: a folder that all nodes see")
    return slurm_dir or Path(where) / "slurm"


def chosen_engine(
    engine: EngineName,
    workers: int,
    *,
    folder: Path,
    ray_address: str | None,
    cpus: float,
    memory_gb: float | None,
    submit: bool,
    slurm_option: list[str] | None,
) -> "Engine":
    """Return the engine that options name.

    Raises:
        UsageError: An option is given that the engine has no use for, or Ray is asked for and
            not installed.
    """
    from envscaler_eval.sweep.engines import LocalEngine, RayEngine, SlurmEngine
    from envscaler_eval.sweep.engines.on_ray import import_ray

    _check_engine(engine, "ray", {"--ray-address": ray_address})
    _check_engine(engine, "slurm", {"--slurm-option": slurm_option, "--submit": submit})
    if engine == "local" and memory_gb is not None:
        raise UsageError("--memory-gb is not for --engine local; leave it out, or name another")
    if engine == "local":
        return LocalEngine(workers)
    if engine == "ray":
        import_ray()
        return RayEngine(workers, ray_address, cpus, memory_gb)
    return SlurmEngine(workers, folder, submit, tuple(slurm_option or ()), cpus, memory_gb)


def _check_engine(engine: EngineName, its: EngineName, options: Mapping[str, object]) -> None:
    """Refuse options of an engine that is not asked for: they would be of no effect."""
    for option, given in options.items():
        if given and engine != its:
            raise UsageError(
                f"{option} is not for --engine {engine}; leave it out, or add --engine {its}"
            )


def tell_of_slurm(folder: Path, submit: bool, then: str) -> None:
    """Say what has been written for Slurm, and what to do next."""
    said = "Submitted" if submit else "Submit it with: sbatch"
    typer.echo(f"{said} {shlex.quote(str(folder / 'submit.sh'))}\nThen {then}")
