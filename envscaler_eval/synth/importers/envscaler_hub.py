"""Importing EnvScaler's official release (arXiv 2601.05808)."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.pack_writing import require_no_pack, write_pack
from envscaler_eval.runtime import Runtime
from envscaler_eval.runtime.gate import GateError
from envscaler_eval.runtime.isolated import shared_server
from envscaler_eval.scenario import Scenario
from envscaler_eval.synth.importers.official_environment import (
    environment_notes,
    environment_pack,
    lost_types,
)
from envscaler_eval.synth.importers.official_files import Release
from envscaler_eval.synth.importers.official_record import OfficialRecord
from envscaler_eval.synth.importers.official_scenario import scenario_of
from envscaler_eval.synth.importers.report import ImportReport, ItemFault

NOW = "2026-01-09T09:00:00"
"""When imported scenarios play, the day of the release: its data name no moment."""


@dataclass(frozen=True)
class ImportChoices:
    """What is left to choose.

    Attributes:
        envs: Ids of the environments to import; all when empty.
        split: Whether models may be trained on them.
        now: When the scenarios play, ISO 8601.
        isolation: Where programs and checks run.
    """

    envs: tuple[str, ...] = ()
    split: Literal["train", "test"] = "train"
    now: str = NOW
    isolation: IsolationPolicy = field(default_factory=lambda: IsolationPolicy("isolated"))


@dataclass(frozen=True)
class _Placed:
    """A scenario's record, and its position in its file from 0."""

    record: OfficialRecord
    index: int


def import_release(
    environments: Release,
    scenarios: Sequence[Release],
    out: Path,
    choices: ImportChoices | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ImportReport:
    """Turn a release into packs; what is faulty is left out, with the reason.

    Programs and checks run isolated, once, to sort the checks. Environments
    without scenarios are left out.

    Args:
        environments: The released environments.
        scenarios: The released scenarios.
        out: The folder for the packs.
        choices: What is left to choose.
        progress: Told of each environment that is done.

    Raises:
        UsageError: A pack is there already, this machine cannot isolate, or
            nothing could be imported.
    """
    choices = choices or ImportChoices()
    choices.isolation.require_walls(shared_server().get().walls)
    report = ImportReport([environments.source, *(release.source for release in scenarios)])
    records = dict(_environments(environments, choices.envs, report))
    grouped = _by_environment(scenarios, records, choices.envs, report)
    for env in records:
        require_no_pack(out / env)
    for done, env in enumerate(sorted(records, key=_numerically), start=1):
        source = environments.source
        _import_environment(records[env], grouped[env], out, choices, source, report)
        progress(done, len(records))
    if not report.packs:
        first = report.dropped[0] if report.dropped else "no environment was chosen"
        raise UsageError(f"nothing could be imported; first of all, {first}")
    report.write(out)
    return report


def _environments(
    release: Release, chosen: Sequence[str], report: ImportReport
) -> Iterator[tuple[str, OfficialRecord]]:
    """Yield the records that are wanted and have an id of their own."""
    seen: set[str] = set()
    for number, (key, content) in enumerate(release.records, start=1):
        try:
            # The mapping's key stands in for an id that the record leaves out.
            given = {"env_id": key, **content} if key and isinstance(content, dict) else content
            env = OfficialRecord(f"{release.name}: item {number}", given).text("env_id")
            record = OfficialRecord(f"{release.name}: {env}", given)
            if not re.fullmatch(r"[A-Za-z0-9_-]+", env):
                # It becomes the name of a folder.
                raise record.fault("env_id", f"is {env!r}; use letters, digits, _ and -")
            if key not in (None, env):
                raise record.fault("env_id", f"stands under the key '{key}'; give both one name")
            if env in seen:
                raise record.fault("env_id", "occurs twice; give each environment its own")
        except ItemFault as fault:
            report.dropped.append(str(fault))
            continue
        seen.add(env)
        if not chosen or env in chosen:
            yield env, record
    for env in chosen:
        if env not in seen:
            raise UsageError(f"{release.name}: there is no environment '{env}'; see its env_ids")


def _by_environment(
    releases: Sequence[Release],
    environments: dict[str, OfficialRecord],
    chosen: Sequence[str],
    report: ImportReport,
) -> dict[str, list[_Placed]]:
    grouped: dict[str, list[_Placed]] = {env: [] for env in environments}
    for release in releases:
        for index, (key, content) in enumerate(release.records):
            try:
                item = OfficialRecord(f"{release.name}: item {index + 1}", content)
                env = item.text("env_id")
                task = item.optional_text("task_id") or key or ""
                record = OfficialRecord(f"{release.name}: {task}", content) if task else item
                if env in grouped:
                    grouped[env].append(_Placed(record, index))
                elif not chosen:
                    raise record.fault(
                        "env_id", f"'{env}' was not read; give the file that has it with --env"
                    )
            except ItemFault as fault:
                report.dropped.append(str(fault))
    return grouped


def _import_environment(
    record: OfficialRecord,
    scenarios: Sequence[_Placed],
    out: Path,
    choices: ImportChoices,
    source: str,
    report: ImportReport,
) -> None:
    folder = out / record.text("env_id")
    try:
        pack = environment_pack(record, folder, choices.split, source)
        runtime = _runtime(record, pack, choices.isolation)
    except ItemFault as fault:
        lost = f"; {len(scenarios)} of its scenarios go with it" if scenarios else ""
        report.dropped.append(f"{fault}{lost}")
        return
    imported = _scenarios(pack, scenarios, runtime, choices.now, report)
    if not imported:
        report.dropped.append(
            f"{record.place}: has no scenario in the files given, or none left; give one that has"
        )
        return
    report.notes += environment_notes(record, pack)
    report.notes += [f"{record.place}: {told}" for told in lost_types(pack, imported[0].state)]
    complete = Pack(pack.folder, pack.info, pack.environment, tuple(imported))
    write_pack(complete, out)
    report.add(complete)


def _runtime(record: OfficialRecord, pack: Pack, isolation: IsolationPolicy) -> Runtime:
    try:
        return isolation.runtime(pack)
    except GateError as fault:
        raise record.fault("env_class_code", fault.message) from None


def _scenarios(
    pack: Pack, placed: Sequence[_Placed], runtime: Runtime, now: str, report: ImportReport
) -> list[Scenario]:
    """Return the sound scenarios, those with numbers in the order of their numbers."""
    taken: set[str] = set()
    imported = []
    for item in placed:
        try:
            task = item.record.text("task_id").removeprefix(f"{pack.info.id}-")
            names = (task, *(f"{task}-{number}" for number in range(2, len(placed) + 2)))
            scenario_id = next(name for name in names if name not in taken)
            taken.add(scenario_id)
            if scenario_id != task:
                report.notes.append(
                    f"{item.record.place}: task_id occurs again; it is imported as '{scenario_id}'"
                )
            scenario, notes = scenario_of(item.record, pack, runtime, scenario_id, now, item.index)
        except ItemFault as fault:
            report.dropped.append(str(fault))
            continue
        report.notes += notes
        imported.append(scenario)
    return sorted(imported, key=lambda scenario: _numerically(scenario.id))


def _numerically(name: str) -> list[Any]:
    """Sort `task_2` before `task_10`."""
    parts: list[Any] = re.split(r"([0-9]+)", name)
    parts[1::2] = map(int, parts[1::2])
    return parts
