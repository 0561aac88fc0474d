"""Commands that write packs and logs in others' formats."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from envscaler_eval.cli.filter_options import (
    ENDING,
    FORMAT,
    MIN_REWARD,
    REASONING,
    SOUND_USER,
    TURNS,
    UNGRADED,
    chosen_filter,
)
from envscaler_eval.errors import UsageError

export_app = typer.Typer(
    help="Write packs and logs in the formats of others.", no_args_is_help=True
)

_OUT = Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")]


@export_app.command("hub")
def export_hub(
    packs: Annotated[
        list[str], typer.Argument(metavar="PACKS...", help="Ids, packs or folders of packs.")
    ],
    out: _OUT,
    form: Annotated[
        Literal["parquet", "jsonl"], typer.Option("--format", help="The form of the tables.")
    ] = "parquet",
) -> None:
    """Write packs as a data set with a card, for `datasets` and the Hugging Face Hub."""
    from envscaler_eval.exports.hub import export_hub as write
    from envscaler_eval.pack import read_pack
    from envscaler_eval.pack_selection import locate_all

    folders = [folder for name in packs for folder in locate_all(name)]
    typer.echo(write([read_pack(folder) for folder in folders], out, form))


@export_app.command("sft")
def export_sft(
    logs: Annotated[
        list[Path],
        typer.Argument(metavar="LOGS...", help="Collections, logs, or folders of logs."),
    ],
    out: _OUT,
    mode: Annotated[
        Literal["non_conv", "conv", "both"], typer.Option(help="Which modes to take.")
    ] = "both",
    envs: Annotated[
        str | None, typer.Option(help="Ids of environments, comma-separated; all by default.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="A manifest that names the environments, instead.")
    ] = None,
    style: Annotated[
        Literal["conversational", "paper"],
        typer.Option(help="A row for each trajectory, or the paper's sample for each turn."),
    ] = "conversational",
    form: Annotated[
        Literal["alpaca", "sharegpt"] | None,
        typer.Option(help="The form of the samples of --style paper; by default alpaca."),
    ] = None,
    table: Annotated[
        Literal["parquet", "jsonl"], typer.Option("--format", help="The form of the table.")
    ] = "parquet",
    min_reward: MIN_REWARD = None,
    ungraded: UNGRADED = None,
    proper_ending: ENDING = None,
    valid_format: FORMAT = None,
    sound_user: SOUND_USER = None,
    reasoning: REASONING = None,
    turns: TURNS = None,
) -> None:
    """Write trajectories for supervised fine-tuning.

    A collection brings its filter; options of your own take the place of its.
    """
    from tabulate import tabulate

    from envscaler_eval.exports.collection import LOGS, collected_filter, is_collection
    from envscaler_eval.exports.sft import SftChoices, SftSource
    from envscaler_eval.exports.sft import export_sft as write
    from envscaler_eval.exports.trajectories import TrajectoryLogs
    from envscaler_eval.exports.trajectory_filter import TrajectoryFilter
    from envscaler_eval.results.manifest import read_manifest

    if form and style != "paper":
        raise UsageError(f"--form {form} is a form of the paper's samples; add --style paper")
    given = {
        "min_reward": min_reward,
        "ungraded": ungraded,
        "proper_ending": proper_ending,
        "valid_format": valid_format,
        "sound_user": sound_user,
        "reasoning": reasoning,
        "turns": turns,
    }
    own = chosen_filter(TrajectoryFilter(), **given)
    sources = [
        SftSource(TrajectoryLogs([folder / LOGS]), chosen_filter(collected_filter(folder), **given))
        for folder in logs
        if is_collection(folder)
    ]
    others = [path for path in logs if not is_collection(path)]
    if others:
        sources.append(SftSource(TrajectoryLogs(others), own))
    choices = SftChoices(
        mode=mode,
        envs=tuple(name.strip() for name in (envs or "").split(",") if name.strip()),
        manifest=read_manifest(manifest) if manifest else None,
        style=style,
        form=form or "alpaca",
        table=table,
    )
    counts = write(sources, out, choices)
    for source in sources:
        for note in source.logs.notes:
            typer.echo(note, err=True)
    typer.echo(tabulate(counts.rows(), ["trajectories", "Non-Conv", "Conv"]))
    typer.echo(out)
