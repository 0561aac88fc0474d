"""The logs of a sweep: many shards, of which each counts once and only when it is whole.

A sweep leaves a log for each shard, below `logs` in its folder, and says in `sweep.json` which
shards it has. A shard may have several logs: of workers that both ran it, of a run that failed
in part and of one that mended that. One of them counts, chosen by what it holds and never by the
order of files. What is half-written does not count at all.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fsspec
from inspect_ai.log import EvalLog

# In the metadata of the log of a shard.
METADATA_KEY = "sweep"
MANIFEST = "sweep.json"
LOGS = "logs"

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


def manifest_of(folder: str) -> tuple[PlannedShard, ...] | None:
    """Return the shards of the sweep in a folder or at a URL; `None` where there is none."""
    files, path = fsspec.url_to_fs(folder)
    try:
        content = json.loads(files.cat_file(f"{path.rstrip('/')}/{MANIFEST}"))
    except (OSError, ValueError):
        return None
    return tuple(
        PlannedShard(one["key"], one["unit"], tuple(one["samples"]), one["trials"])
        for one in content["shards"]
    )


def sweep_folder(path: str) -> str | None:
    """Return the folder of the sweep that a log or a folder of logs is in, if it is in one."""
    before, found, _ = path.rstrip("/").rpartition(f"/{LOGS}")
    while found:
        if manifest_of(before) is not None:
            return before
        before, found, _ = before.rpartition(f"/{LOGS}")
    return path.rstrip("/") if manifest_of(path) is not None else None


def told_of_sweep(header: EvalLog) -> Mapping[str, Any] | None:
    """Return what a log says of the sweep that it is a shard of, if it is one."""
    told = (header.eval.metadata or {}).get(METADATA_KEY)
    return told if isinstance(told, Mapping) and "shard" in told else None


def one_log_a_shard(headers: Sequence[EvalLog]) -> tuple[list[EvalLog], list[str]]:
    """Keep one whole log of each shard, and all logs that are of no sweep.

    Of two whole logs the one with more scored episodes is kept, of equals the one that was
    finished first: a worker that was thought lost and goes on changes nothing.

    Args:
        headers: The headers of logs.

    Returns:
        The headers that are kept, and a line that tells what was left out.
    """
    best: dict[tuple[str, ...], EvalLog] = {}
    halves = 0
    for header in headers:
        told = told_of_sweep(header)
        if told is None:
            continue
        if header.status not in _WHOLE:
            halves += 1
            continue
        rival = best.get(_shard(told))
        if rival is None or _rank(header) < _rank(rival):
            best[_shard(told)] = header
    kept = [
        header
        for header in headers
        if (told := told_of_sweep(header)) is None or best.get(_shard(told)) is header
    ]
    copies = len(headers) - len(kept) - halves
    notes = []
    if halves:
        notes.append(f"{halves} half-written logs of shards are left out")
    if copies:
        notes.append(f"{copies} further logs of shards that have another are left out")
    return kept, notes


def _shard(told: Mapping[str, Any]) -> tuple[str, ...]:
    return (str(told["shard"]),)


def _rank(header: EvalLog) -> tuple[int, str, str, str]:
    """Return what is smaller for a better log."""
    scored = header.results.completed_samples if header.results else 0
    completed = str(header.stats.completed_at)
    return -scored, completed, str(header.eval.eval_id), header.location
