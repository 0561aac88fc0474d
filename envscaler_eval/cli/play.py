"""The playground: `envscaler play`."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

_EXTRA = ("python_multipart", "sse_starlette")


def play(
    env: Annotated[
        list[str] | None,
        typer.Option(help="A pack, by id or folder, or a folder of packs; repeatable."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A model that visitors may watch, as Inspect names it; repeatable.",
        ),
    ] = None,
    logs: Annotated[
        Path | None, typer.Option(help="A folder of logs that visitors may open.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = 7860,
    host: Annotated[str, typer.Option(help="The address; only this machine by default.")] = (
        "127.0.0.1"
    ),
    visitors: Annotated[int, typer.Option(min=1, help="How many visitors at once.")] = 50,
    watched: Annotated[int, typer.Option(min=0, help="How many models play at once.")] = 4,
    builds: Annotated[
        int, typer.Option(min=0, help="How many environments are built at once.")
    ] = 2,
    idle_minutes: Annotated[
        float, typer.Option(min=0.1, help="After how long without a deed a visitor is let go.")
    ] = 30.0,
    isolation: Annotated[
        str, typer.Option(help="isolated; or auto, which runs packs of the library in process.")
    ] = "isolated",
    allow_weak_isolation: Annotated[
        bool, typer.Option("--allow-weak-isolation", help="Go on where a protection is missing.")
    ] = False,
) -> None:
    """Play scenarios by hand, watch models, and see environments built, on a page."""
    from rich.console import Console

    from envscaler_eval.errors import UsageError
    from envscaler_eval.isolation import IsolationPolicy, isolation_choice
    from envscaler_eval.pack import find_packs, read_pack
    from envscaler_eval.pack_selection import locate_all

    if not all(map(find_spec, _EXTRA)):
        raise UsageError("the playground needs more packages: pip install 'envscaler-eval[app]'")
    if logs is not None and not logs.is_dir():
        raise UsageError(f"--logs {logs}: there is no such folder")

    from envscaler_eval.playground import Bounds, PlaygroundSettings
    from envscaler_eval.playground.app import LOOPBACK_NAMES, build_app
    from envscaler_eval.runtime.isolated import shared_server
    from envscaler_eval.web_server import WebServer

    named = [folder for name in env for folder in locate_all(name)] if env else find_packs()
    folders = list(dict.fromkeys(folder.resolve() for folder in named))
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(f"Reading {len(folders)} pack{'' if len(folders) == 1 else 's'} ...")
    packs = [read_pack(folder) for folder in folders]
    folder_of: dict[str, Path] = {}
    for pack in packs:
        if pack.info.id in folder_of:
            raise UsageError(
                f"{folder_of[pack.info.id]} and {pack.folder} are both '{pack.info.id}'; "
                "name one of them"
            )
        folder_of[pack.info.id] = pack.folder
    policy = IsolationPolicy(isolation_choice(isolation), allow_weak_isolation)
    # A machine that cannot isolate is told now; whether a program may run, when it is to.
    if any(map(policy.isolates, packs)):
        policy.require_walls(shared_server().get().walls)
    settings = PlaygroundSettings(
        packs=packs,
        models=tuple(model or ()),
        logs=logs,
        isolation=policy,
        bounds=Bounds(
            visitors=visitors, watched=watched, builds=builds, idle_seconds=60 * idle_minutes
        ),
    )
    loopback = host in ("127.0.0.1", "localhost", "::1")
    names = LOOPBACK_NAMES if loopback else ("*",)
    server = WebServer(build_app(settings, names), host, port)
    if not loopback:
        console.print(
            f"Warning: {host} can be reached from other machines; whoever reaches it may play, "
            "and spend the keys of the models that you named"
        )
    console.print(f"The playground is at {server.url} (Ctrl+C stops it)")
    server.run()
