"""The command that writes RL environments."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from envscaler_eval.errors import UsageError


def export_rl(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    target: Annotated[
        Literal["trl", "verifiers", "openenv"], typer.Option(help="The trainer's library.")
    ],
    logs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LOGS]...", help="Logs of the model to train, for --curriculum."),
    ] = None,
    envs: Annotated[
        str | None,
        typer.Option(
            help="Ids, packs or folders of packs, comma-separated; by default the "
            "library's train split."
        ),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="A manifest that names the environments, instead.")
    ] = None,
    tags: Annotated[
        str | None, typer.Option(help="Keep scenarios that carry all of these, comma-separated.")
    ] = None,
    mode: Annotated[
        Literal["non_conv", "conv", "both"], typer.Option(help="With a user to talk to or without.")
    ] = "non_conv",
    seed: Annotated[int, typer.Option(help="Fixes the environments' chance.")] = 0,
    protocol: Annotated[
        Literal["default", "paper"], typer.Option(help="The rules of an episode.")
    ] = "default",
    step_limit: Annotated[
        int | None,
        typer.Option(min=1, help="Generations an agent has; by default the protocol's."),
    ] = None,
    reward: Annotated[
        Literal["reward", "success", "paper_reward"], typer.Option(help="What is the reward.")
    ] = "reward",
    grade_truncated: Annotated[
        bool | None,
        typer.Option(
            "--grade-truncated/--no-grade-truncated",
            help="Grade an episode that ran into a limit, or give it 0; by default the protocol's.",
        ),
    ] = None,
    user: Annotated[
        str, typer.Option(help="The user in conversation: a model by its name in Inspect.")
    ] = "policy/user",
    curriculum: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH", help="Keep samples whose success rate in LOGS is in this band."
        ),
    ] = None,
    isolation: Annotated[
        Literal["isolated", "in_process", "auto"], typer.Option(help="Where environments run.")
    ] = "isolated",
    allow_weak_isolation: Annotated[
        bool, typer.Option(help="Go on where this machine lacks a protection.")
    ] = False,
    include_test: Annotated[
        bool, typer.Option("--include-test", help="Also take environments of the test split.")
    ] = False,
) -> None:
    """Write environments for an RL trainer: TRL, verifiers or OpenEnv."""
    from envscaler_eval.exports.rl.curriculum import choose
    from envscaler_eval.exports.rl.folders import write_folder
    from envscaler_eval.exports.rl.settings import RlSettings
    from envscaler_eval.results.manifest import manifest_packs
    from envscaler_eval.tasks.dataset import listed

    if manifest and envs:
        raise UsageError("--envs and --manifest both name environments; give one of them")
    packs = manifest_packs(manifest) if manifest else []
    if manifest and not packs:
        # An empty list of environments would stand for the whole split.
        raise UsageError(f"{manifest}: names no environment; choose a manifest that names some")
    settings = RlSettings(
        envs=tuple(listed(envs)) or tuple(str(pack.folder) for pack in packs),
        tags=tuple(listed(tags)),
        mode=mode,
        seed=seed,
        protocol=protocol,
        step_limit=step_limit,
        reward=reward,
        grade_truncated=grade_truncated,
        user=user,
        isolation=isolation,
        allow_weak_isolation=allow_weak_isolation,
        include_test=include_test,
    )
    settings, told = choose(settings, curriculum, logs or ())
    if told:
        typer.echo(told)
    typer.echo(write_folder(target, settings, out))
