"""Writing packs to disk, whole or not at all."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack


def require_no_pack(folder: Path) -> None:
    """Refuse to write a pack over what is already there.

    Raises:
        UsageError: Something is there.
    """
    if folder.exists():
        raise UsageError(f"{folder}: is there already; remove it or write to another folder")


def write_pack(pack: Pack, root: Path) -> Path:
    """Write a pack into a folder named by its id.

    The folder appears complete or not at all. Scenarios that start alike share a
    file in `states`.

    Args:
        pack: The pack.
        root: The folder that is to hold it, made where it is missing.

    Returns:
        The pack's folder.

    Raises:
        UsageError: There is something of that name already.
    """
    folder = root / pack.info.id
    require_no_pack(folder)
    root.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{pack.info.id}-", dir=root))
    try:
        draft = staging / pack.info.id
        _write(pack, draft)
        draft.rename(folder)
    finally:
        shutil.rmtree(staging)
    return folder


def _write(pack: Pack, folder: Path) -> None:
    (folder / "states").mkdir(parents=True)
    _write_yaml(folder / "pack.yaml", pack.info.model_dump(mode="json", exclude_defaults=True))
    (folder / "environment.py").write_text(pack.environment.source, encoding="utf-8", newline="")
    states: dict[str, str] = {}
    scenarios = [
        {
            "id": scenario.id,
            "state": _named(folder, scenario.id, scenario.state, states),
            **scenario.model_dump(
                mode="json", exclude={"id", "env", "state"}, exclude_defaults=True
            ),
        }
        for scenario in pack.scenarios
    ]
    rejections = [
        {
            "rule": rejection.rule,
            "state": _named(folder, f"rejection_{number}", rejection.state, states),
            **rejection.model_dump(mode="json", exclude={"rule", "state"}, exclude_defaults=True),
        }
        for number, rejection in enumerate(pack.rejections, start=1)
    ]
    _write_yaml(folder / "scenarios.yaml", scenarios)
    if rejections:
        _write_yaml(folder / "rejections.yaml", rejections)


def _named(folder: Path, name: str, state: Mapping[str, Any], states: dict[str, str]) -> str:
    """Return the name of a state's file, which is written the first time."""
    # The order of keys is part of what an environment shows, so it is compared too.
    content = json.dumps(state)
    if content not in states:
        states[content] = name
        text = json.dumps(state, ensure_ascii=False, indent=1)
        (folder / "states" / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    return states[content]


def _write_yaml(file: Path, content: object) -> None:
    file.write_text(core_yaml.dump(content), encoding="utf-8")
