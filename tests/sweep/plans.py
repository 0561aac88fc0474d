"""Small sweeps on stock rooms, and their results."""

from pathlib import Path
from typing import Any

from envscaler_eval.results import read_results
from envscaler_eval.results.document import as_markdown
from envscaler_eval.sweep import Engine, Report, Store, Sweep, SweepPlan, map_items, prepare
from envscaler_eval.sweep.documents import results_document
from envscaler_eval.sweep.engines import LocalEngine
from tests.pack_files import a_scenario, write_pack


def write_rooms(folder: Path, environments: int = 2, scenarios: int = 6) -> str:
    """Write stock rooms, and return their folder as a task's argument."""
    for place in range(environments):
        name = f"room_{place}"
        write_pack(
            folder / "rooms",
            name,
            scenarios=[a_scenario(id=f"restock_{number}") for number in range(scenarios)],
        )
    return str(folder / "rooms")


def a_plan(rooms: str, **changes: Any) -> dict[str, Any]:
    """Return a sound plan as its file has it, with changes."""
    return {
        "tasks": [{"task": "envscaler", "args": {"envs": rooms, "isolation": "in_process"}}],
        "models": ["policy/noop", {"model": "policy/oracle", "args": {"error_rate": 0.4}}],
        "samples_per_shard": 4,
        **changes,
    }


def sweep_of(plan: dict[str, Any], folder: Path | str, workers: int = 1) -> Sweep:
    """Cut a plan for a folder."""
    return prepare(SweepPlan.model_validate(plan), Store(str(folder)), workers)


def run_sweep(
    plan: dict[str, Any], folder: Path | str, engine: Engine | None = None
) -> list[Report]:
    """Run a plan, in this process if nothing else is said; return what came of each run."""
    chosen = engine or LocalEngine()
    sweep = sweep_of(plan, folder, chosen.workers)
    reports: list[Report] = []
    map_items(sweep.work, sweep.items, chosen, reports.append)
    return reports


def table_of(folder: Path | str) -> bytes:
    """Return the final table of a sweep with all its numbers."""
    document = results_document(read_results([str(folder)]), None)
    return as_markdown(document).encode() + document.numbers
