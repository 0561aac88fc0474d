"""Serving reference policies: `envscaler serve-policy`."""

from typing import Annotated

import typer


def serve_policy(
    policy: Annotated[
        str, typer.Argument(help="oracle, noop, random, or scripted: the user without a model.")
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = 0,
    host: Annotated[str, typer.Option(help="The address; only this machine by default.")] = (
        "127.0.0.1"
    ),
    env: Annotated[
        list[str] | None,
        typer.Option(help="A pack, by id or folder, whose scenarios are recognised; repeatable."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[=RATE]",
            help="Misbehave: once in each conversation, or at this rate; repeatable.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes faults and random choices.")] = 0,
    delay: Annotated[
        float, typer.Option(min=0, help="Seconds that a reply takes which is to time out.")
    ] = 60.0,
) -> None:
    """Serve a reference policy as an OpenAI-compatible model, without a key."""
    from rich.console import Console

    from envscaler_eval.pack import find_packs, locate, read_pack
    from envscaler_eval.serving import FaultPlan, Player, PolicyServer, build_app

    plan = FaultPlan.parse(fault or (), seed)
    folders = [locate(name) for name in env] if env else find_packs()
    player = Player(policy, [read_pack(folder) for folder in folders], plan, seed)
    server = PolicyServer(build_app(player, delay), host, port)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(f"Serving {policy} on {server.url}")
    role = "--model-role user=" if policy == "scripted" else "--model "
    console.print(
        f"In Inspect: {role}openai-api/local/{policy} with LOCAL_BASE_URL={server.url} "
        "and any LOCAL_API_KEY"
    )
    server.run()
