"""Packs as Inspect datasets."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

from inspect_ai.dataset import MemoryDataset, Sample

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import LIBRARY, Pack, find_packs, read_info, read_pack
from envscaler_eval.pack_selection import locate_all
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.protocol import Mode


def select_packs(envs: Sequence[str], split: str | None) -> list[Pack]:
    """Read packs given by id, path or folder of packs, or the library, of one split or any.

    Raises:
        UsageError: A pack is unknown or faulty, or none is left.
    """
    folders = [folder for env in envs for folder in locate_all(env)] if envs else find_packs()
    packs = [
        read_pack(folder) for folder in folders if split is None or read_info(folder).split == split
    ]
    if not packs:
        raise UsageError(f"no environment is left: none of those chosen is in split '{split}'")
    return packs


def scenario_dataset(
    packs: Sequence[Pack],
    modes: Sequence[Mode],
    tags: Sequence[str],
    scenarios_per_env: int | None,
    seed: int,
) -> MemoryDataset:
    """Return a sample for each scenario and mode.

    Args:
        packs: The packs.
        modes: The modes.
        tags: Keep scenarios that carry all of these.
        scenarios_per_env: Keep at most so many of each pack, chosen by `seed`.
        seed: Fixes the choice.

    Raises:
        UsageError: No scenario is left.
    """
    samples = [
        scenario_to_sample(pack, scenario, mode)
        for pack in packs
        for scenario in _chosen(pack, tags, scenarios_per_env, seed)
        for mode in modes
    ]
    if not samples:
        names = ", ".join(pack.info.id for pack in packs)
        lacking = f"none carries the tags {', '.join(tags)}" if tags else "there are none"
        raise UsageError(f"no scenario is left of {names}: {lacking}")
    return MemoryDataset(samples, name="envscaler")


def scenario_to_sample(pack: Pack, scenario: Scenario, mode: Mode) -> Sample:
    """Return a scenario as a sample; its solution and checks stay in the pack."""
    return Sample(
        id=f"{scenario.name}:{mode}",
        input=scenario.task,
        metadata={
            "env": pack.info.id,
            "scenario": scenario.id,
            "mode": mode,
            "domain": pack.info.domain,
            "split": pack.info.split,
            "tags": list(scenario.tags),
            "pack": _locator(pack.folder),
            "pack_hash": pack.hash,
        },
    )


def _chosen(pack: Pack, tags: Sequence[str], limit: int | None, seed: int) -> list[Scenario]:
    matching = [s for s in pack.scenarios if set(tags) <= set(s.tags)]
    if limit is None or limit >= len(matching):
        return matching
    chosen = random.Random(f"{pack.info.id}#{seed}").sample(range(len(matching)), limit)
    return [matching[index] for index in sorted(chosen)]


def _locator(folder: Path) -> str:
    """Name a pack so that it is found again: by id in the library, else by path."""
    return folder.name if folder.parent == LIBRARY else str(folder.resolve())


def listed(value: str | Sequence[str] | None) -> list[str]:
    """Return a task parameter that may be a list, one value or comma-separated values."""
    if value is None:
        return []
    values = map(str, value) if isinstance(value, list | tuple) else str(value).split(",")
    return [item.strip() for item in values if item.strip()]


def one_of(name: str, value: str, options: Sequence[str]) -> str:
    """Return a task parameter's value if it is among the options.

    Raises:
        UsageError: It is not.
    """
    if value not in options:
        raise UsageError(f"{name} is '{value}'; use one of {', '.join(options)}")
    return value


def whole_number(name: str, value: object, least: int | None = None) -> int:
    """Return a task parameter's value if it is a whole number that is large enough.

    Raises:
        UsageError: It is not.
    """
    if type(value) is not int or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number from {least}"
        raise UsageError(f"{name} is '{value}'; use {wanted}")
    return value


def not_negative(name: str, value: object) -> float:
    """Return a task parameter's value if it is a number from 0.

    Raises:
        UsageError: It is not.
    """
    if type(value) not in {int, float} or not cast(float, value) >= 0:
        raise UsageError(f"{name} is '{value}'; use a number from 0")
    return cast(float, value)


def yes_or_no(name: str, value: object) -> bool:
    """Return a task parameter's value if it is true or false.

    Raises:
        UsageError: It is neither.
    """
    if type(value) is not bool:
        raise UsageError(f"{name} is '{value}'; use true or false")
    return value


Split = Literal["train", "test"]
