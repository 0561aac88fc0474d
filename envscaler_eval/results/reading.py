"""Reading Inspect logs into one table, from the summaries of their samples alone.

Summaries hold the scores, the usage and all metadata that is shorter than 1 kB;
reading them takes a hundredth of the time that transcripts take.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)
from inspect_ai.model import ModelConfig

from envscaler_eval.errors import UsageError
from envscaler_eval.results.episode_rows import episode_rows
from envscaler_eval.results.score_values import Part, score_names
from envscaler_eval.results.sweep_logs import (
    UNREADABLE,
    in_order,
    logs_of_sweep,
    missing_shards,
    one_log_a_shard,
    sweep_folder,
    told_of_place,
)
from envscaler_eval.results.table import EpisodeRow, LogHeader, ResultTable
from envscaler_eval.results.task_rules import rules_of, short_name

_SUFFIXES = (".eval", ".json")
# Where our tasks keep the hashes of what they were run on.
_DATA_KEYS = ("packs", "data", "bfcl_eval_sha256")


def read_results(paths: Sequence[str | Path], cluster_key: str | None = None) -> ResultTable:
    """Read logs of any Inspect task whose score is a number.

    Of a run that was retried only the last attempt is read, which holds the
    samples that went well before. The shards of a sweep are read as one run, each
    once.

    Args:
        paths: Logs (`.eval` or `.json`), and folders that hold some at any depth.
        cluster_key: The key of the sample metadata that names the cluster of a
            sample; by default as the task has it (`task_rules`), and for tasks
            of others each sample on its own.

    Returns:
        A row for each sample and epoch of each log. What was to be run and was not,
        or gave no score, has a row that says so.

    Raises:
        UsageError: There is no such log, it holds no numeric score, or samples lack
            the metadata that names their cluster.
    """
    headers, unread = log_headers(log_files(paths))
    latest, notes = _with_summaries(headers)
    notes = unread + notes
    logs: list[LogHeader] = []
    rows: list[EpisodeRow] = []
    for header, summaries in latest:
        if header.status != "success":
            notes.append(
                f"{header.location}: the run ended as '{header.status}'; what it did not come to "
                "is missing"
            )
        log, its_rows = _read(header, summaries, cluster_key)
        logs.append(log)
        rows.extend(its_rows)
    for path in map(str, paths):
        planned, told = missing_shards(path, logs)
        rows.extend(planned)
        notes.extend(told)
    return ResultTable(tuple(logs), tuple(in_order(rows)), tuple(notes))


def log_files(paths: Sequence[str | Path]) -> list[str]:
    """Find the logs, each once, in the order given and in folders by name.

    Args:
        paths: Logs, and folders that hold some at any depth.

    Raises:
        UsageError: There is no such log.
    """
    found: dict[str, None] = {}
    for path in map(str, paths):
        if path.endswith(_SUFFIXES) and ("://" in path or Path(path).is_file()):
            found[path] = None
            continue
        if "://" not in path and not Path(path).is_dir():
            raise UsageError(f"{path}: there is no such log or folder; name a .eval or .json log")
        with told_of_place(path):
            listed = list_eval_logs(logs_of_sweep(path) or path)
        inside = sorted(log.name.removeprefix("file://") for log in listed)
        if not inside and sweep_folder(path) is not None:
            raise UsageError(
                f"{path}: no shard of this sweep has come to an end; see `envscaler sweep status`"
            )
        if not inside:
            raise UsageError(f"{path}: there is no log in this folder; name one that holds some")
        found.update(dict.fromkeys(inside))
    return list(found)


def log_headers(paths: Sequence[str]) -> tuple[list[EvalLog], list[str]]:
    """Read the headers of logs.

    Args:
        paths: The logs.

    Returns:
        The headers, and a line for each log of a sweep that is left out, as it is
        half-written or damaged.

    Raises:
        UsageError: A log that is of no sweep cannot be read.
    """
    headers, notes = [], []
    for path in paths:
        try:
            headers.append(read_eval_log(path, header_only=True))
        except UNREADABLE as fault:
            notes.append(_left_out(path, fault))
    return headers, notes


def _with_summaries(
    headers: Sequence[EvalLog],
) -> tuple[list[tuple[EvalLog, list[EvalSampleSummary]]], list[str]]:
    """Read what each log that counts tells of its samples; where one cannot, another counts."""
    read: dict[str, list[EvalSampleSummary]] = {}
    damaged: dict[str, str] = {}
    while True:
        sound = [header for header in headers if header.location not in damaged]
        latest, notes = latest_attempts(sound)
        unread = [header.location for header in latest if header.location not in read]
        if not unread:
            kept = [(header, read[header.location]) for header in latest]
            return kept, [*damaged.values(), *notes]
        for location in unread:
            try:
                read[location] = read_eval_log_sample_summaries(location)
            except UNREADABLE as fault:
                damaged[location] = _left_out(location, fault)


def _left_out(path: str, fault: Exception) -> str:
    if sweep_folder(path) is not None:
        return (
            f"{path}: left out, it is half-written or damaged; if episodes are missing, remove it "
            "and run the sweep again"
        )
    told = (str(fault).splitlines() or ["it is empty"])[0]
    raise UsageError(f"{path}: this is no log of Inspect: {told}; leave it out") from None


def latest_attempts(headers: Sequence[EvalLog]) -> tuple[list[EvalLog], list[str]]:
    """Keep the last attempt of each run, and of a sweep's shard the best; say what was left out.

    Args:
        headers: The headers of logs.

    Returns:
        The headers that are kept, and a line for each that is not.
    """
    headers, left_out = one_log_a_shard(headers)
    last: dict[str, EvalLog] = {}
    for header in headers:
        rival = last.get(header.eval.task_id)
        if rival is None or header.eval.created >= rival.eval.created:
            last[header.eval.task_id] = header
    kept = [header for header in headers if last[header.eval.task_id] is header]
    notes = left_out + [
        f"{header.location}: left out, {last[header.eval.task_id].location} retries it"
        for header in headers
        if last[header.eval.task_id] is not header
    ]
    return kept, notes


def _read(
    header: EvalLog, summaries: Sequence[EvalSampleSummary], cluster_key: str | None
) -> tuple[LogHeader, list[EpisodeRow]]:
    names = score_names(summaries)
    if not names:
        if all(summary.error for summary in summaries):
            raise UsageError(
                f"{header.location}: the run failed before any sample was scored; finish it with "
                "`inspect eval-retry`, or leave it out"
            )
        raise UsageError(
            f"{header.location}: no sample has a numeric score; score it with `inspect score`, "
            "or leave it out"
        )
    log = _log_header(header, names, cluster_key)
    return log, list(episode_rows(log, header.eval, summaries, names))


def _log_header(header: EvalLog, names: Mapping[Part, str], cluster_key: str | None) -> LogHeader:
    spec = header.eval
    task = short_name(spec.task)
    rules = rules_of(task, cluster_key)
    metadata = spec.metadata or {}
    scores = tuple(name for name in names.values() if name != rules.user_faults)
    return LogHeader(
        path=header.location,
        task_id=spec.task_id,
        created=str(spec.created),
        status=header.status,
        model=spec.model,
        model_args=spec.model_args,
        task=task,
        version=str(metadata.get("full_task_version", spec.task_version)),
        args=spec.task_args,
        roles={role: _role(config) for role, config in (spec.model_roles or {}).items()},
        generation=spec.model_generate_config.model_dump(exclude_none=True),
        solver=spec.solver,
        data=_data(metadata),
        tags=tuple(spec.tags or ()),
        metadata=metadata,
        epochs=spec.config.epochs or 1,
        rules=rules,
        primary=_primary(header, rules.primary, scores),
        scores=scores,
    )


def _role(config: ModelConfig | list[ModelConfig]) -> str:
    """Name the model of a role, with the settings that it was given."""
    if isinstance(config, list):
        return ", ".join(map(_role, config))
    given = config.config.model_dump(exclude_none=True)
    settings = ", ".join(f"{name}={value}" for name, value in given.items())
    return f"{config.model} ({settings})" if settings else config.model


def _data(metadata: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in _DATA_KEYS:
        value = metadata.get(key)
        if isinstance(value, Mapping):
            found.update({str(name): str(digest) for name, digest in value.items()})
        elif value is not None:
            found[key] = str(value)
    return found


def _primary(header: EvalLog, known: str | None, scores: Sequence[str]) -> str:
    """Return the score that a log is judged by: the task's, the headline's, or the first."""
    headline = header.results.headline if header.results else None
    for name in (known, headline.score if headline else None):
        if name in scores:
            return str(name)
    return scores[0]
