"""What this machine can do: `envscaler doctor`."""

import typer
from rich.console import Console
from rich.table import Table

from envscaler_eval.runtime.confined.walls import DENIALS, Walls

_LANDLOCK = {1: "files", 4: "files, TCP", 6: "files, TCP, abstract sockets, signals"}


def doctor() -> None:
    """Show which protections isolated environments have on this machine, and what is missing.

    Ends with exit code 1 when a required one is missing.
    """
    from envscaler_eval.runtime.isolated import shared_server

    walls = shared_server().get().walls
    console = Console()
    console.print(f"[bold]Isolation[/] on {walls.system}\n", highlight=False)
    console.print(_protections(walls))
    console.print(_denials(walls))
    if walls.missing:
        console.print(
            f"Missing: {', '.join(walls.missing)}. Isolated runs are refused unless you accept it "
            "with -T allow_weak_isolation=true or --allow-weak-isolation."
        )
        if not walls.system.startswith("Linux"):
            console.print("This system has resource limits only; run strangers' code on Linux.")
        raise typer.Exit(1)
    console.print("Nothing required is missing.")
    if not walls.scratch:
        console.print(
            "Scratch folders are not to be had: they take Landlock and a mount namespace."
        )


def _protections(walls: Walls) -> Table:
    table = Table("protection", "here", "what for")
    table.add_row(
        "Landlock", f"ABI {walls.landlock_abi}" if walls.landlock_abi else "none", _landlock(walls)
    )
    table.add_row("seccomp", _yes(walls.seccomp), "system calls beyond computing")
    table.add_row("namespaces", " ".join(walls.namespaces) or "none", "network, scratch folders")
    table.add_row("no_new_privs", _yes(walls.no_new_privs), "gaining privileges")
    table.add_row("identity", "not root" if walls.unprivileged else "root", "owning files")
    table.add_row("rlimits", "yes", "memory, time, file size, open files, processes")
    table.add_row("cgroups", "not used", "a bound over all workers together; set it on the host")
    table.add_row(
        "parent-death signal", _yes(walls.dies_with_parent), "workers that outlive the fork server"
    )
    return table


def _denials(walls: Walls) -> Table:
    table = Table("a worker tried", "and was", title="Tried just now")
    for denial in DENIALS:
        table.add_row(denial, "refused" if denial in walls.denied else "[bold red]let through[/]")
    return table


def _landlock(walls: Walls) -> str:
    known = [told for abi, told in _LANDLOCK.items() if abi <= walls.landlock_abi]
    return known[-1] if known else "files"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
