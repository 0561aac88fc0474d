"""Folders that a trainer takes as they are: settings, packs that are not of the library, glue."""

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, StrictUndefined

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.rl.training_set import TrainingSet
from envscaler_eval.exports.rl.trl import TrlEnvironments
from envscaler_eval.exports.whole_folder import whole_folder
from envscaler_eval.isolation import is_shipped
from envscaler_eval.pack_writing import write_pack

Target = Literal["trl", "verifiers", "openenv"]

_TEMPLATES = Path(__file__).parent / "templates"
_SETTINGS = "settings.json"
_PACKS = "packs"
_PACKAGE = "PACKAGE"
"""Stands for the package's name in the paths of templates."""


def write_folder(target: Target, settings: RlSettings, out: Path) -> str:
    """Write a folder for a trainer. It appears complete or not at all.

    Args:
        target: The trainer's library.
        settings: What to train on, and how.
        out: The folder; its name becomes the package's.

    Returns:
        What was written, for people.

    Raises:
        UsageError: The folder is there already, has no name for a package, or the
            settings select what may not be trained on, or nothing.
    """
    package = re.sub(r"[-. ]+", "_", out.name).lower()
    if not package.isidentifier():
        raise UsageError(f"{out}: '{out.name}' is no name for a Python package; choose another")
    selected = TrainingSet(settings)
    with whole_folder(out) as draft:
        _render(target, _facts(package, selected), draft)
        home = draft / package if (draft / package).is_dir() else draft
        _write_settings(selected, home)
        if target == "trl":
            _write_rows(TrlEnvironments(settings).rows, draft / "train.jsonl")
    names = ", ".join(pack.info.id for pack in selected.packs)
    tasks = "1 task" if len(selected.tasks) == 1 else f"{len(selected.tasks)} tasks"
    return f"{out}: {tasks} of {names} for {target}; see its README.md"


def read_settings(folder: Path) -> RlSettings:
    """Return the settings of an exported folder, with the packs in it found."""
    settings = RlSettings.model_validate_json((folder / _SETTINGS).read_text(encoding="utf-8"))
    envs = tuple(
        str(folder / env) if env.startswith(f"{_PACKS}/") else env for env in settings.envs
    )
    return settings.model_copy(update={"envs": envs})


def _write_settings(selected: TrainingSet, home: Path) -> None:
    envs = []
    for pack in selected.packs:
        if is_shipped(pack):
            envs.append(pack.info.id)
        else:
            envs.append(f"{_PACKS}/{pack.info.id}")
            write_pack(pack, home / _PACKS)
    fixed = selected.settings.model_copy(
        update={
            "envs": tuple(envs),
            "pack_hashes": {pack.info.id: pack.hash for pack in selected.packs},
        }
    )
    (home / _SETTINGS).write_text(fixed.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _write_rows(rows: list[dict[str, Any]], file: Path) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text("".join(lines), encoding="utf-8")


def _facts(package: str, selected: TrainingSet) -> dict[str, Any]:
    settings = selected.settings
    return {
        "package": package,
        "name": package.replace("_", "-"),
        "version": version("envscaler-eval"),
        "settings": settings,
        "tasks": selected.tasks,
        "envs": [pack.info for pack in selected.packs],
        "splits": sorted({task.pack.info.split for task in selected.tasks}),
        "steps": max(settings.steps(task.mode) for task in selected.tasks),
    }


def _render(target: Target, facts: dict[str, Any], draft: Path) -> None:
    """Fill in a target's templates, which stand in the folders that they are for."""
    templates = Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
    root = _TEMPLATES / target
    for template in sorted(root.rglob("*.j2")):
        place = template.relative_to(root).as_posix().replace(_PACKAGE, facts["package"])
        file = draft / place.removesuffix(".j2")
        file.parent.mkdir(parents=True, exist_ok=True)
        text = templates.from_string(template.read_text(encoding="utf-8")).render(facts)
        file.write_text(text, encoding="utf-8")
