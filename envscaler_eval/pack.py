"""Packs on disk: read, check, hash."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from envscaler_eval import core_yaml, strict_json
from envscaler_eval.environment import Environment
from envscaler_eval.errors import UsageError
from envscaler_eval.model_fault import first_fault
from envscaler_eval.pack_digest import files_digest
from envscaler_eval.scenario import Frozen, Rejection, Scenario, ToolCall

LIBRARY = Path(__file__).parent / "library"
"""The packs that ship with the package."""

T = TypeVar("T")

_TOLD = {"id", "title", "introduction", "rules", "class_name", "scratch"}


class PackError(UsageError):
    """A pack is not as it must be: one line with the place, the fault and the remedy."""


class PackInfo(Frozen):
    """The contents of `pack.yaml`.

    Attributes:
        id: The environment's id, also the folder's name.
        title: A short name for people.
        introduction: What the system is, told to the agent.
        rules: Business rules, told to the agent and enforced by the code.
        class_name: The class in `environment.py`.
        domain: The field of life, for selection and statistics.
        split: Whether models may be trained on it.
        scratch: Whether the program keeps files. It then runs isolated, in an
            empty folder of its own.
        licence: SPDX identifier.
        canary: A unique string that marks text copied from the pack.
        provenance: Plain requests that imply the environment, or where it was
            imported from.
        quality: What the audit measured, written by the audit.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9_\-]+$")
    title: str
    introduction: str
    rules: tuple[str, ...] = ()
    class_name: str
    domain: str
    split: Literal["train", "test"]
    scratch: bool = False
    licence: str
    canary: str
    provenance: tuple[str, ...] = ()
    quality: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True)
class Pack:
    """An environment and its scenarios.

    Attributes:
        folder: Where it was read from.
        info: What `pack.yaml` says.
        environment: The program.
        scenarios: The scenarios, in the file's order.
        rejections: Calls that break the rules and are refused.
    """

    folder: Path
    info: PackInfo
    environment: Environment
    scenarios: tuple[Scenario, ...]
    rejections: tuple[Rejection, ...] = ()

    @cached_property
    def hash(self) -> str:
        """SHA-256 over all that decides how an episode goes and is graded."""
        content: dict[str, Any] = {
            "introduction": self.info.introduction,
            "rules": self.info.rules,
            "class_name": self.info.class_name,
            "source": self.environment.source,
            "scenarios": [
                scenario.model_dump(mode="json", exclude={"tags"}) for scenario in self.scenarios
            ],
        }
        if self.info.scratch:
            content["scratch"] = True
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def scenario(self, scenario_id: str) -> Scenario:
        """Return a scenario by its id.

        Raises:
            PackError: There is none.
        """
        for scenario in self.scenarios:
            if scenario.id == scenario_id:
                return scenario
        known = ", ".join(scenario.id for scenario in self.scenarios)
        raise PackError(f"{self.info.id}: there is no scenario '{scenario_id}'; it has {known}")


def read_info(folder: Path) -> PackInfo:
    """Read only `pack.yaml`.

    Raises:
        PackError: It is missing or not as it must be.
    """
    file = folder / "pack.yaml"
    content = _read(file, core_yaml.load, "YAML")
    if not isinstance(content, dict):
        raise PackError(f"{_shown(file)}: is no mapping; write `id: ...`, `title: ...`")
    info = _build(_shown(file), PackInfo, content)
    if info.id != folder.resolve().name:
        raise PackError(
            f"{_shown(file)}: id is '{info.id}' but the folder is '{folder.resolve().name}'; "
            "give both one name"
        )
    return info


def read_pack(folder: Path) -> Pack:
    """Read a whole pack; its code is parsed, never run.

    It is built once for what its files hold: tasks, solvers and scorers that read
    the same files share the pack.

    Raises:
        PackError: Something in it is not as it must be.
    """
    return _built(folder.absolute(), files_digest(folder))


@lru_cache(maxsize=256)
def _built(folder: Path, digest: bytes) -> Pack:
    """Read a pack. The digest is only what tells whether it has been read before."""
    info = read_info(folder)
    program = folder / "environment.py"
    environment = _build(
        _shown(program),
        Environment,
        {
            **info.model_dump(include=_TOLD),
            "source": _read(program, str, "Python"),
        },
    )
    states = _States(folder / "states")
    file = folder / "scenarios.yaml"
    scenarios = tuple(
        _scenario(file, entry, environment, states) for entry in _entries(file, "- id: ...")
    )
    _refuse_duplicates(file, scenarios)
    file = folder / "rejections.yaml"
    rejections = tuple(
        _rejection(f"{_shown(file)}: entry {number}", entry, environment, states)
        for number, entry in enumerate(
            _entries(file, "- rule: ...") if file.exists() else (), start=1
        )
    )
    return Pack(folder, info, environment, scenarios, rejections)


def find_packs(root: Path = LIBRARY) -> list[Path]:
    """Return the folders directly below `root` that hold a `pack.yaml`, sorted."""
    return sorted(file.parent for file in root.glob("*/pack.yaml"))


def locate(env: str) -> Path:
    """Return the folder of a pack given by id (in the library) or by path.

    Raises:
        PackError: There is no such pack.
    """
    for folder in (LIBRARY / env, Path(env)):
        if (folder / "pack.yaml").is_file():
            return folder
    known = ", ".join(folder.name for folder in find_packs())
    raise PackError(
        f"there is no environment '{env}'; name a folder with a pack.yaml or one of {known}"
    )


class _States:
    """The named states of a pack, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Any] = {}

    def resolve(self, place: str, entry: dict[str, Any]) -> dict[str, Any]:
        """Put a state from its file in the place of its name; leave an inline one."""
        name = entry.get("state")
        if not isinstance(name, str):
            return entry
        if name not in self._read:
            known = sorted(file.stem for file in self._folder.glob("*.json"))
            if name not in known:
                raise PackError(
                    f"{place}: there is no state '{name}'; add states/{name}.json or name one of "
                    f"{', '.join(known) or 'those that you add to states/'}"
                )
            self._read[name] = _read(self._folder / f"{name}.json", strict_json.load, "JSON")
        return {**entry, "state": self._read[name]}


def _entries(file: Path, first_line: str) -> list[dict[str, Any]]:
    entries = _read(file, core_yaml.load, "YAML")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise PackError(f"{_shown(file)}: is no list of mappings; start each with `{first_line}`")
    return entries


def _rejection(
    place: str, entry: dict[str, Any], environment: Environment, states: _States
) -> Rejection:
    rejection = _build(place, Rejection, states.resolve(place, entry))
    if rejection.rule > len(environment.rules):
        raise PackError(
            f"{place}: names rule {rejection.rule}, but pack.yaml has {len(environment.rules)}; "
            "give the rule's position from 1"
        )
    _refuse_unknown_tools(place, rejection.calls, environment)
    return rejection


def _scenario(
    file: Path, entry: dict[str, Any], environment: Environment, states: _States
) -> Scenario:
    place = f"{_shown(file)}: scenario '{entry.get('id', '?')}'"
    scenario = _build(place, Scenario, {**states.resolve(place, entry), "env": environment.id})
    for label, calls in _call_lists(scenario):
        _refuse_unknown_tools(f"{place}: {label}", calls, environment)
    return scenario


def _refuse_unknown_tools(place: str, calls: Iterable[ToolCall], environment: Environment) -> None:
    for position, call in enumerate(calls, start=1):
        if call.name not in environment.validators:
            raise PackError(
                f"{place}: call {position} names the tool '{call.name}', which the environment "
                f"lacks; use one of {', '.join(environment.validators)}"
            )


def _call_lists(scenario: Scenario) -> Iterator[tuple[str, Iterable[ToolCall]]]:
    yield "solution", scenario.solution
    for number, calls in enumerate(scenario.alternatives, start=1):
        yield f"alternative {number}", calls


def _refuse_duplicates(file: Path, scenarios: Iterable[Scenario]) -> None:
    seen: set[str] = set()
    for scenario in scenarios:
        if scenario.id in seen:
            raise PackError(
                f"{_shown(file)}: scenario '{scenario.id}' occurs twice; give each its own id"
            )
        seen.add(scenario.id)


def _read(file: Path, parse: Callable[[str], T], language: str) -> T:
    try:
        return parse(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PackError(f"{_shown(file)}: is missing; every pack needs it") from None
    except OSError as fault:
        raise PackError(f"{_shown(file)}: cannot be read: {fault.strerror}") from None
    except UnicodeDecodeError:
        raise PackError(f"{_shown(file)}: is no UTF-8 text; save it as UTF-8") from None
    except ValueError as fault:
        told = " ".join(str(fault).split())
        raise PackError(f"{_shown(file)}: {told}; the file must be valid {language}") from None


def _build(place: str, model: Callable[..., T], content: dict[str, Any]) -> T:
    try:
        return model(**content)
    except ValidationError as error:
        raise PackError(f"{place}: {first_fault(error)}") from None


def _shown(file: Path) -> str:
    """A file as a person would name it: from the library or the working folder."""
    for base in (LIBRARY.parent, Path.cwd()):
        if file.resolve().is_relative_to(base):
            return str(file.resolve().relative_to(base))
    return str(file)
