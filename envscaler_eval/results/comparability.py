"""Which logs may be compared: same tasks, same versions, same data, no sample twice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.results.table import EpisodeRow, LogHeader, ResultTable

_ABSENT = "not given"


def one_player(table: ResultTable, name: str) -> str:
    """Return the model that all of a side's logs are of.

    Args:
        table: The side.
        name: Its name, for messages.

    Raises:
        UsageError: There are several.
    """
    players = {log.player: log.path for log in table.logs}
    if len(players) > 1:
        told = ", ".join(f"{player} ({path})" for player, path in players.items())
        raise UsageError(
            f"{name} holds logs of several models: {told}; name a folder or logs of one model"
        )
    return next(iter(players))


def check_distinct(sides: Sequence[ResultTable]) -> None:
    """Check that no log is on two sides, be it as a copy.

    Raises:
        UsageError: One is.
    """
    seen: dict[tuple[str, str], str] = {}
    for side in sides:
        for log in side.logs:
            if (log.task_id, log.created) in seen:
                first = seen[log.task_id, log.created]
                copy = "" if first == log.path else f" (as {log.path})"
                raise UsageError(
                    f"{first}: the same log is on both sides{copy}; name logs of two runs"
                )
        seen.update({(log.task_id, log.created): log.path for log in side.logs})


def without_repeats(table: ResultTable, as_trials: bool, name: str) -> ResultTable:
    """Return the table with each sample and epoch once.

    Args:
        table: The logs of one model.
        as_trials: Count a sample that is in several logs as further runs of it.
        name: What the logs are, for messages.

    Raises:
        UsageError: Something is there twice, and is not to count as further runs.
    """
    first: dict[tuple[str, str, int], EpisodeRow] = {}
    offset: dict[tuple[str, str], int] = {}
    rows: list[EpisodeRow] = []
    earlier: LogHeader | None = None
    for row in table.rows:
        if as_trials and row.log is not earlier:
            earlier, offset = row.log, _runs_so_far(rows)
        key = (row.log.task, row.sample)
        rival = first.setdefault((*key, row.epoch), row)
        if rival is not row and not as_trials:
            raise UsageError(
                f"{name}: sample {row.sample} of {row.log.task} is in {rival.log.path} and in "
                f"{row.log.path}; leave one out, or count them as further trials with "
                "--repeats-as-trials"
            )
        rows.append(replace(row, epoch=row.epoch + offset.get(key, 0)) if as_trials else row)
    return ResultTable(table.logs, tuple(rows), table.notes)


def _runs_so_far(rows: Sequence[EpisodeRow]) -> dict[tuple[str, str], int]:
    highest: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.log.task, row.sample)
        highest[key] = max(highest.get(key, 0), row.epoch)
    return highest


def check_comparable(logs: Sequence[LogHeader], accept: bool) -> list[str]:
    """Check that logs of one task were made under the same conditions.

    Args:
        logs: The logs; each is held against the first.
        accept: Whether differences are only to be told.

    Returns:
        What differs, a line each: if accepted, versions, arguments, other roles and
        data; always what may well differ: solvers and settings of generation.

    Raises:
        UsageError: Something differs that is not accepted.
    """
    notes: dict[str, None] = {}
    first = logs[0]
    for log in logs[1:]:
        for difference in _differences(first, log):
            line = f"{log.task}: {first.path} and {log.path} differ in {difference}"
            if not accept:
                raise UsageError(
                    f"{line}; run them alike, or compare all the same with --accept-differences"
                )
            notes[line] = None
        for difference in _remarks(first, log):
            notes[f"{log.task}: {difference}"] = None
    return list(notes)


def _differences(one: LogHeader, other: LogHeader) -> Iterator[str]:
    """Tell what makes the same sample another task."""
    if one.version != other.version:
        yield f"the task's version, {one.version} and {other.version}"
    free = one.rules.free_args
    yield from _unlike("argument", _without(one.args, free), _without(other.args, free))
    yield from _unlike("model role", one.roles, other.roles)
    common = one.data.keys() & other.data.keys()
    for name in sorted(common):
        if one.data[name] != other.data[name]:
            yield f"the data of {name}, {one.data[name][:12]} and {other.data[name][:12]}"


def _remarks(one: LogHeader, other: LogHeader) -> Iterator[str]:
    """Tell what belongs to the model, and may explain a difference."""
    if one.solver != other.solver:
        yield f"solvers differ, {one.solver or _ABSENT} and {other.solver or _ABSENT}"
    for difference in _unlike("setting", one.generation, other.generation):
        yield f"generation differs in {difference}"


def _unlike(what: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            values = (_ABSENT if side.get(name) is None else side[name] for side in (one, other))
            yield f"{what} {name}, {' and '.join(map(str, values))}"


def _without(args: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name not in names}
