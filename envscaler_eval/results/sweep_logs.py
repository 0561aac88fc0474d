"""The logs of a sweep: many shards, of which each counts once and only when it is whole.

A sweep leaves a log for each shard, below `logs` in its folder, and says in `sweep.json` which
shards it has. A shard may have several logs: of workers that both ran it, of a run that failed
in part and of one that mended that. One of them counts, chosen by what it holds and never by the
order of files. What is half-written does not count at all.
"""

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zipfile import BadZipFile

import fsspec
from inspect_ai.log import EvalLog

from envscaler_eval.errors import UsageError
from envscaler_eval.results.episode_rows import row_not_run
from envscaler_eval.results.table import SWEEP_KEY, EpisodeRow, LogHeader

MANIFEST = "sweep.json"
LOGS = "logs"

# What reading a log raises that is half-written or damaged, compressed in whichever way.
UNREADABLE = (OSError, ValueError, LookupError, EOFError, RuntimeError, BadZipFile, zlib.error)

_WHOLE = ("success", "error")


@dataclass(frozen=True)
class PlannedShard:
    """What a sweep means to run in one piece.

    Attributes:
        key: The hash of all that decides it.
        unit: What its episodes share: task, model and parameters, as one name.
        samples: Its samples.
        trials: How often each is run.
    """

    key: str
    unit: str
    samples: tuple[str, ...]
    trials: int

    @property
    def episodes(self) -> int:
        """How many episodes it has."""
        return len(self.samples) * self.trials


@contextmanager
def told_of_place(place: str) -> Iterator[None]:
    """Tell in one line of whatever reading from a folder or URL raises.

    Args:
        place: The folder or URL.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        yield
    except UsageError:
        raise
    except Exception as fault:
        # Clients of object stores raise what they like: for a key, for a server.
        told = " ".join(str(fault).split())
        raise UsageError(f"{place}: cannot be read: {told}; name one that can") from None


def manifest_of(folder: str) -> tuple[PlannedShard, ...] | None:
    """Return the shards of the sweep in a folder or at a URL; `None` where there is none.

    Raises:
        UsageError: There is one, and its list of shards is damaged; or the URL leads nowhere.
    """
    with told_of_place(folder):
        try:
            files, path = fsspec.url_to_fs(folder)
            text = files.cat_file(f"{path.rstrip('/')}/{MANIFEST}")
        except OSError:
            return None
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or "shards" not in content:
            # Of another program.
            return None
        return tuple(
            PlannedShard(one["key"], one["unit"], tuple(one["samples"]), one["trials"])
            for one in content["shards"]
        )
    except (ValueError, LookupError, TypeError):
        raise UsageError(
            f"{folder}/{MANIFEST}: is damaged; run the sweep again, which writes it anew"
        ) from None


def sweep_folder(path: str) -> str | None:
    """Return the folder of the sweep that a log or a folder of logs is in, if it is in one."""
    path = _from_anywhere(path)
    before, found, _ = path.rpartition(f"/{LOGS}")
    while found and before:
        if manifest_of(before) is not None:
            return before
        before, found, _ = before.rpartition(f"/{LOGS}")
    return path if manifest_of(path) is not None else None


def logs_of_sweep(path: str) -> str | None:
    """Return where the logs of the sweep in a folder are; `None` if there is no sweep in it."""
    return None if manifest_of(path) is None else f"{path.rstrip('/')}/{LOGS}"


def missing_shards(path: str, logs: Sequence[LogHeader]) -> tuple[list[EpisodeRow], list[str]]:
    """Return rows for what a sweep has planned and has no whole log of.

    Args:
        path: A sweep's folder, or a folder of its logs; of others nothing is missing.
        logs: The logs that were read.

    Returns:
        The rows, each beside a log of its kind, and lines that tell of them. An episode of
        a kind that no log is of has no row.
    """
    root = None if path.endswith(".eval") else sweep_folder(path)
    if root is None:
        return [], []
    part = _from_anywhere(path)[len(f"{root}/{LOGS}/") :]
    planned = [
        shard
        for shard in manifest_of(root) or ()
        if not part or f"{shard.unit}/".startswith(f"{part}/")
    ]
    done = {str(told["shard"]): log for log in logs if (told := _told(log.metadata))}
    # By the plan, not by the log: a unit may have had another name when it ran.
    siblings = {shard.unit: done[shard.key] for shard in planned if shard.key in done}
    absent = [shard for shard in planned if shard.key not in done]
    if not absent:
        return [], []
    rows = [
        row_not_run(siblings[shard.unit], sample, trial)
        for shard in absent
        if shard.unit in siblings
        for sample in shard.samples
        for trial in range(1, shard.trials + 1)
    ]
    unknown = sorted({shard.unit for shard in absent} - siblings.keys())
    notes = [
        f"{root}: {len(absent)} of {len(planned)} shards are not done, and their "
        f"{sum(shard.episodes for shard in absent)} episodes are missing; run the sweep again"
    ]
    notes += [f"{root}: nothing of {unit} is done; no table shows it" for unit in unknown]
    return rows, notes


def in_order(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    """Return rows with those of sweeps by sample: sums do not depend on who ran what."""

    def place(row: EpisodeRow) -> tuple[str, str, int]:
        if not _told(row.log.metadata):
            return "", "", 0
        return str(row.log.metadata[SWEEP_KEY]["unit"]), row.sample, row.epoch

    return sorted(rows, key=place)


def _from_anywhere(path: str) -> str:
    """Return a path that names the folders above it, from wherever it was given."""
    return path.rstrip("/") if "://" in path else os.path.abspath(path)


def told_of_sweep(header: EvalLog) -> Mapping[str, Any] | None:
    """Return what a log says of the sweep that it is a shard of, if it is one."""
    return _told(header.eval.metadata or {})


def one_log_a_shard(headers: Sequence[EvalLog]) -> tuple[list[EvalLog], list[str]]:
    """Keep one whole log of each shard, and all logs that are of no sweep.

    Of two whole logs the one with more scored episodes is kept, of equals the one that was
    finished first: a worker that was thought lost and goes on changes nothing. Nor is it told:
    what is said of a sweep must not depend on who was lost.

    Args:
        headers: The headers of logs.

    Returns:
        The headers that are kept, and a line on logs of other plans.
    """
    best: dict[str, EvalLog] = {}
    for header in headers:
        told = told_of_sweep(header)
        if told is None or header.status not in _WHOLE:
            continue
        rival = best.get(told["shard"])
        if rival is None or _rank(header) < _rank(rival):
            best[told["shard"]] = header
    strange = {id(header) for header in _of_other_plans(best.values())}
    kept = [
        header
        for header in headers
        if (told := told_of_sweep(header)) is None
        or (best.get(told["shard"]) is header and id(header) not in strange)
    ]
    notes = []
    if strange:
        notes.append(f"{len(strange)} logs of shards that the sweep no longer plans are left out")
    return kept, notes


def _of_other_plans(headers: Iterable[EvalLog]) -> Iterator[EvalLog]:
    """Yield logs in the folder of a sweep whose plan has another shard in their place."""
    planned: dict[str, frozenset[str] | None] = {}
    for header in headers:
        folder = os.path.dirname(header.location.removeprefix("file://"))
        if folder not in planned:
            root = sweep_folder(folder)
            shards = None if root is None else manifest_of(root)
            planned[folder] = None if shards is None else frozenset(one.key for one in shards)
        told, keys = told_of_sweep(header), planned[folder]
        if keys is not None and told is not None and told["shard"] not in keys:
            yield header


def _told(metadata: Mapping[str, Any]) -> Mapping[str, Any] | None:
    told = metadata.get(SWEEP_KEY)
    return told if isinstance(told, Mapping) and "shard" in told else None


def _rank(header: EvalLog) -> tuple[int, str, str, str]:
    """Return what is smaller for a better log."""
    scored = header.results.completed_samples if header.results else 0
    completed = str(header.stats.completed_at)
    return -scored, completed, str(header.eval.eval_id), header.location
