"""The command that collects trajectories of a teacher."""

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


def collect(
    model: Annotated[str, typer.Option(help="The teacher, as Inspect names models.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for logs and filter.")],
    user_model: Annotated[
        str | None, typer.Option(help="The simulated user of conversations.")
    ] = None,
    mode: Annotated[
        Literal["non_conv", "conv", "both"], typer.Option(help="With a user, without, or both.")
    ] = "both",
    envs: Annotated[
        str,
        typer.Option(
            help="`train` for the library's training split, or packs and folders of packs by id "
            "or path, comma-separated."
        ),
    ] = "train",
    manifest: Annotated[
        Path | None, typer.Option(help="A manifest that names the environments, instead.")
    ] = None,
    protocol: Annotated[
        Literal["default", "paper"], typer.Option(help="The rules of the episodes.")
    ] = "default",
    trials: Annotated[int, typer.Option(min=1, help="Attempts at each scenario.")] = 1,
    scenarios_per_env: Annotated[
        int | None, typer.Option(min=1, help="At most so many scenarios of each environment.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes the environments' chance.")] = 0,
    temperature: Annotated[float | None, typer.Option(help="The teacher's temperature.")] = None,
    top_p: Annotated[float | None, typer.Option(help="The teacher's nucleus.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="At most so many tokens a turn.")] = None,
    max_connections: Annotated[int | None, typer.Option(help="Requests at once.")] = None,
    model_base_url: Annotated[str | None, typer.Option(help="Where the teacher is served.")] = None,
    min_reward: MIN_REWARD = None,
    ungraded: UNGRADED = None,
    proper_ending: ENDING = None,
    valid_format: FORMAT = None,
    sound_user: SOUND_USER = None,
    reasoning: REASONING = None,
    turns: TURNS = None,
    allow_weak_isolation: Annotated[
        bool, typer.Option(help="Go on where this machine lacks a protection.")
    ] = False,
) -> None:
    """Let a teacher play training environments, and keep what is worth training on."""
    from tabulate import tabulate

    from envscaler_eval.exports.collection import CollectChoices
    from envscaler_eval.exports.collection import collect as run
    from envscaler_eval.exports.trajectory_filter import TrajectoryFilter
    from envscaler_eval.pack import read_pack
    from envscaler_eval.pack_selection import locate_all
    from envscaler_eval.results.manifest import manifest_packs, training_packs

    wanted = chosen_filter(
        TrajectoryFilter(),
        min_reward=min_reward,
        ungraded=ungraded,
        proper_ending=proper_ending,
        valid_format=valid_format,
        sound_user=sound_user,
        reasoning=reasoning,
        turns=turns,
    )
    names = [name.strip() for name in envs.split(",") if name.strip()]
    if manifest is not None:
        packs = manifest_packs(manifest)
    elif names == ["train"]:
        packs = training_packs()
    else:
        packs = [read_pack(folder) for name in names for folder in locate_all(name)]
    if not packs:
        raise UsageError("no environment is left; name some with --envs")
    generation = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}
    running = {"max_connections": max_connections}
    counts = run(
        packs,
        model,
        user_model,
        out,
        wanted,
        CollectChoices(
            mode=mode,
            protocol=protocol,
            trials=trials,
            scenarios_per_env=scenarios_per_env,
            seed=seed,
            allow_weak_isolation=allow_weak_isolation,
            base_url=model_base_url,
            generation={name: value for name, value in generation.items() if value is not None},
            running={name: value for name, value in running.items() if value is not None},
        ),
    )
    typer.echo(tabulate(counts.rows(), ["trajectories", "Non-Conv", "Conv"]))
    if counts.number_kept:
        typer.echo(f"\nWrite them with: envscaler export sft {out} --out DIR")
    else:
        typer.echo("\nNone is kept; the export may take them with a filter of its own.")
