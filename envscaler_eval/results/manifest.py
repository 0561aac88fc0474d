"""Manifests: which environments a training run is to use, and how they were chosen.

One file is one set of environments, whatever chose it: a step of a scaling plan, or the
environments most similar to a benchmark. Exporters read it in place of a list of ids.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import LIBRARY, Pack, find_packs, read_info, read_pack
from envscaler_eval.pack_selection import locate_all
from envscaler_eval.scenario import Frozen


class ChosenEnvironment(Frozen):
    """An environment in a manifest.

    Attributes:
        id: The environment's id.
        domain: Its field of life.
        hash: The SHA-256 of the pack, as `Pack.hash` has it.
        path: The pack's folder, relative to the manifest's; none if the pack is
            one of the library.
    """

    id: str
    domain: str
    hash: str
    path: str | None = None


class Manifest(Frozen):
    """A set of environments.

    Attributes:
        format: The version of this format.
        name: What the set is called, such as `environments-020`.
        purpose: What chose it.
        environments: Its environments; none stands for the model before training.
        made: How it was made: seed, ranking and the like, enough to make it again.
    """

    format: Literal[1] = 1
    name: str
    purpose: Literal["scaling", "similarity"]
    environments: tuple[ChosenEnvironment, ...]
    made: dict[str, Any] = Field(default_factory=dict)


def training_packs(envs: Iterable[str] = ()) -> list[Pack]:
    """Read the packs given by id, path or folder of packs, by default the library's to train on.

    Raises:
        UsageError: One is unknown or faulty, or two have one id.
    """
    folders = [folder for env in envs for folder in locate_all(env)] or [
        folder for folder in find_packs() if read_info(folder).split == "train"
    ]
    packs: dict[str, Pack] = {}
    for pack in map(read_pack, folders):
        rival = packs.setdefault(pack.info.id, pack)
        if rival is not pack:
            raise UsageError(
                f"{rival.folder} and {pack.folder} both have the id '{pack.info.id}'; name one"
            )
    return list(packs.values())


def write_manifest(
    file: Path,
    purpose: Literal["scaling", "similarity"],
    packs: Iterable[Pack],
    made: dict[str, Any],
) -> Manifest:
    """Write a manifest, named after its file; as JSON if the file ends so, else as YAML.

    Args:
        file: Where to; its folder is made.
        purpose: What chose the packs.
        packs: The packs, in order.
        made: How they were chosen.

    Returns:
        What was written.
    """
    manifest = Manifest(
        name=file.stem,
        purpose=purpose,
        environments=tuple(_chosen(pack, file.parent) for pack in packs),
        made=made,
    )
    content = manifest.model_dump(mode="json", exclude_none=True)
    text = (
        json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        if file.suffix == ".json"
        else core_yaml.dump(content)
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise UsageError(f"{file}: cannot be written: {fault.strerror}") from None
    return manifest


def read_manifest(file: Path) -> Manifest:
    """Read a manifest.

    Raises:
        UsageError: It is missing or not as it must be.
    """
    try:
        return Manifest.model_validate(core_yaml.load(file.read_text(encoding="utf-8")))
    except OSError as fault:
        raise UsageError(f"{file}: cannot be read: {fault.strerror}") from None
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        where = ".".join(map(str, wrong["loc"])) or "the file"
        raise UsageError(f"{file}: {where}: {wrong['msg']}; make the manifest again") from None
    except ValueError as fault:
        told = " ".join(str(fault).split())
        raise UsageError(f"{file}: {told}; a manifest is YAML or JSON") from None


def manifest_packs(file: Path) -> list[Pack]:
    """Return the packs that a manifest names, as they were when it was made.

    Raises:
        UsageError: The manifest or a pack cannot be read, or a pack has changed.
    """
    packs = []
    for chosen in read_manifest(file).environments:
        folder = file.parent / chosen.path if chosen.path else LIBRARY / chosen.id
        pack = read_pack(folder)
        if pack.hash != chosen.hash:
            raise UsageError(
                f"{file}: environment '{chosen.id}' has changed: its hash is {pack.hash[:12]}, "
                f"the manifest has {chosen.hash[:12]}; make the manifest again"
            )
        packs.append(pack)
    return packs


def _chosen(pack: Pack, base: Path) -> ChosenEnvironment:
    of_library = pack.folder.resolve().parent == LIBRARY.resolve()
    return ChosenEnvironment(
        id=pack.info.id,
        domain=pack.info.domain,
        hash=pack.hash,
        path=None if of_library else os.path.relpath(pack.folder.resolve(), base.resolve()),
    )
