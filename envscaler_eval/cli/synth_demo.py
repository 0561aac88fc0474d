"""The command that builds one environment before one's eyes."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from envscaler_eval.cli.audit import print_cards
from envscaler_eval.cli.synth import Model, ModelRole, WeakIsolation
from envscaler_eval.cli.synth_engines import tell_unfinished
from envscaler_eval.errors import UsageError
from envscaler_eval.synth.watching import Finding


def demo(
    idea: Annotated[
        str | None, typer.Argument(help="A plain request that people make of such a system.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("synth-demo"),
    model: Model = None,
    model_role: ModelRole = None,
    allow_weak_isolation: WeakIsolation = False,
) -> None:
    """Build an environment and its scenarios from one line, and tell each step.

    Without an idea, a recorded session is replayed, offline: from six plain tasks to an
    audited pack.
    """
    from envscaler_eval.audit import Selection, audit_packs
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.synth.artefacts import Artefacts
    from envscaler_eval.synth.models import Models, role_models
    from envscaler_eval.synth.pack_folders import write_packs
    from envscaler_eval.synth.pipeline import Run
    from envscaler_eval.synth.skel_builder import Task
    from envscaler_eval.synth.small_build import build_small, recorded_session, recorded_tasks

    if idea is not None and not idea.strip():
        raise UsageError("the idea is empty; write a request, or leave it out for the recording")
    console = Console()
    isolation = IsolationPolicy(allow_weak=allow_weak_isolation)
    with recorded_session() as recorded:
        if idea is None:
            models = Models(f"session/{recorded}")
            tasks = recorded_tasks(recorded)
            told = "\n".join(task.text for task in tasks)
            console.print(f"Replaying a recorded session. The tasks:\n\n{told}\n", markup=False)
        else:
            models = Models(model, role_models(model_role or []))
            tasks = [Task(text=" ".join(idea.split()), source="idea")]
        with Artefacts(out) as artefacts:
            run = Run(artefacts, models, watcher=Narrator(console))
            folders = write_packs(asyncio.run(build_small(run, tasks, isolation)), out / "packs")
    tell_unfinished(console, run.unfinished)
    if not folders:
        console.print("No pack came of it; the lines above say why.")
        raise typer.Exit(1)
    cards = audit_packs([Selection(folder) for folder in folders], 1, isolation=isolation)
    print_cards(console, cards)
    for folder in folders:
        console.print(f"\nRead it:   envscaler show {folder}", soft_wrap=True)
        console.print(
            f"Run it:    inspect eval envscaler_eval/envscaler -T envs={folder} --model MODEL",
            soft_wrap=True,
        )


class Narrator:
    """A watcher that tells each event in a line."""

    def __init__(self, console: Console) -> None:
        """Tell it on a console."""
        self._console = console

    def entered(self, stage: str) -> None:
        """Say nothing; what comes of it will be told."""

    def left(self, stage: str, record: dict[str, Any]) -> None:
        """An item has left a stage."""
        kept = record["status"] == "kept"
        self._tell(
            stage,
            record["item"],
            "" if kept else f"{record['status']}: {record['reason']}",
            "green" if kept else "red",
        )

    def answered(self, record: dict[str, Any], *, fresh: bool) -> None:
        """A model has answered."""
        if fresh:
            self._tell("", f"{record['step']}: {record['item']}", "", "dim")

    def asked_again(self, record: dict[str, Any]) -> None:
        """An answer could not be used."""
        told = f"asked again: {record['reason']}"
        self._tell("", f"{record['step']}: {record['item']}", told, "yellow")

    def found(self, finding: Finding, item: str, record: dict[str, Any]) -> None:
        """Something was found on the way."""
        if finding == "assessed":
            style = "green" if record["accepted"] else "red"
            self._tell("", f"assessed: {item}", record["summary"], style)
        elif finding == "repaired":
            self._tell("", f"repaired: {', '.join(record['methods'])}", record["diagnosis"], "")
        elif finding == "faulted":
            self._tell("", f"faulted: {item}", "; ".join(record["faults"]), "yellow")

    def _tell(self, stage: str, what: str, more: str, style: str) -> None:
        line = f"{stage:<12}  {what}" + (f"  {' '.join(more.split())}" if more else "")
        self._console.print(Text(line, style=style), soft_wrap=True)
