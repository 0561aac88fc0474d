"""Commands about packs: list, show, validate."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.syntax import Syntax
from rich.table import Column, Table

from envscaler_eval.pack import (
    LIBRARY,
    Pack,
    PackError,
    find_packs,
    locate,
    read_info,
    read_pack,
)
from envscaler_eval.pack_selection import locate_all, packs_inside
from envscaler_eval.scenario import Scenario

_PACKS = Annotated[
    list[str] | None, typer.Argument(metavar="[ENV]...", help="Ids or folders; all by default.")
]


def list_packs(
    root: Annotated[
        Path, typer.Option(help="The folder that holds the packs.", exists=True, file_okay=False)
    ] = LIBRARY,
    stats: Annotated[
        bool, typer.Option("--stats", help="Show how large they are, beside EnvScaler's.")
    ] = False,
) -> None:
    """List the environments."""
    if stats:
        from envscaler_eval.cli.pack_sizes import show_sizes

        show_sizes([read_pack(folder) for folder in find_packs(root)])
        return
    # Ids are there to be copied.
    table = Table(Column("id", no_wrap=True, overflow="ignore"), "title", "domain", "split")
    faults = []
    for folder in find_packs(root):
        try:
            info = read_info(folder)
        except PackError as fault:
            faults.append(str(fault))
            continue
        table.add_row(info.id, escape(info.title), escape(info.domain), info.split)
    Console().print(table)
    _report(faults)


def show(
    what: Annotated[str, typer.Argument(metavar="ENV[/SCENARIO]", help="What to show.")],
) -> None:
    """Show an environment with its tools, or a scenario with its checks and solution."""
    folder, scenario_id = _split_name(what)
    pack = read_pack(folder)
    if scenario_id is None:
        _show_environment(pack)
    else:
        _show_scenario(pack.scenario(scenario_id))


def validate(
    packs: _PACKS = None,
    isolation: Annotated[
        str, typer.Option(help="auto (isolated unless of the library), in_process or isolated.")
    ] = "auto",
    allow_weak_isolation: Annotated[
        bool, typer.Option(help="Go on where this machine lacks a protection.")
    ] = False,
) -> None:
    """Check packs by running them; each fault is one line."""
    from envscaler_eval.isolation import IsolationPolicy, isolation_choice
    from envscaler_eval.validation import validate_pack

    policy = IsolationPolicy(isolation_choice(isolation), allow_weak_isolation)

    folders = [folder for pack in packs or () for folder in locate_all(pack)] or find_packs()
    console = Console(stderr=True)
    faults = []
    for folder in track(folders, "validating", console=console, disable=not console.is_terminal):
        faults += validate_pack(folder, policy)
    _report(faults)
    Console().print("1 pack is sound" if len(folders) == 1 else f"{len(folders)} packs are sound")


def _report(faults: list[str]) -> None:
    for fault in faults:
        typer.echo(f"Error: {fault}", err=True)
    if faults:
        raise typer.Exit(2)


def split_names(what: str) -> list[tuple[Path, str | None]]:
    """Return what `ENV/SCENARIO`, a pack or a folder of packs names."""
    return [(folder, None) for folder in packs_inside(what)] or [_split_name(what)]


def _split_name(what: str) -> tuple[Path, str | None]:
    """Tell `ENV/SCENARIO` from the path of a pack."""
    if (Path(what) / "pack.yaml").is_file():
        return Path(what), None
    env, slash, scenario = what.rpartition("/")
    return (locate(env), scenario) if slash else (locate(what), None)


def _show_environment(pack: Pack) -> None:
    console = Console()
    console.print(
        f"[bold]{escape(pack.info.title)}[/] ({pack.info.id}), {escape(pack.info.domain)}\n"
    )
    console.print(pack.info.introduction, markup=False)
    for rule in pack.info.rules:
        console.print(f"  - {rule}", markup=False)
    tools = Table("tool", "arguments", "description", title="Tools")
    for tool in pack.environment.tools:
        required = tool.parameters.get("required", ())
        names = (
            name if name in required else f"({name})" for name in tool.parameters["properties"]
        )
        tools.add_row(tool.name, ", ".join(names), escape(tool.description.splitlines()[0]))
    console.print(tools)
    scenarios = Table("scenario", "calls", "checks", "tags", title="Scenarios")
    for scenario in pack.scenarios:
        scenarios.add_row(
            scenario.id,
            str(len(scenario.solution)),
            str(len(scenario.checks)),
            escape(", ".join(scenario.tags)),
        )
    console.print(scenarios)


def _show_scenario(scenario: Scenario) -> None:
    console = Console()
    console.print(f"[bold]{scenario.name}[/], {scenario.now}\n")
    console.print(scenario.task, markup=False)
    for check in scenario.checks:
        console.print(f"\n[bold]{check.kind}[/]: {escape(check.about)}")
        console.print(Syntax(check.code.rstrip(), "python"))
    console.print("\n[bold]solution[/]")
    for call in scenario.solution:
        arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
        console.print(f"  {call.name}({arguments})", markup=False, soft_wrap=True)
