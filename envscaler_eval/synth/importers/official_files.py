"""EnvScaler's released files: where they are, and their two forms."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.importers.loading import load_rows

Kind = Literal["environments", "scenarios"]

_TELLING: dict[str, str] = {
    "env_class_code": "environments",
    "init_config": "scenarios",
    "traj_type": "trajectories",
    "messages": "trajectories",
}
"""Fields by which a record shows what it is."""

_OPTION = {"environments": "--env", "scenarios": "--scenarios"}


@dataclass(frozen=True)
class Published:
    """A file on the Hugging Face Hub, pinned.

    Attributes:
        repository: The data set.
        revision: The commit.
        file: The file in it.
    """

    repository: str
    revision: str
    file: str


ENVIRONMENTS = Published(
    "XXHStudyHard/EnvScaler-191-Env",
    "3d30c6ac2446c06b79d727f196b84df90cc9cb69",
    "191_env_metadata_processed.json",
)
RL_SCENARIOS = Published(
    "XXHStudyHard/EnvScaler-RL-Scenario",
    "a14061538b0ffd3e84d44edf40fbe67477f83552",
    "envscaler_rl_scenario_metadata.json",
)


@dataclass(frozen=True)
class Release:
    """The records of a released file.

    Attributes:
        name: What to call it in messages.
        source: The same with what pins its contents.
        records: The records in their order, each with its key in the file's
            mapping, or `None` in a list.
    """

    name: str
    source: str
    records: tuple[tuple[str | None, Any], ...]


def read_release(file: Path, kind: Kind) -> Release:
    """Read a released file, in the Hub's list form or the repository's dict form.

    Args:
        file: The file.
        kind: What it should hold.

    Raises:
        UsageError: It cannot be read, or holds something else.
    """
    try:
        data = file.read_bytes()
        content = json.loads(data)
    except OSError as fault:
        raise UsageError(f"{file}: cannot be read: {fault.strerror}; name the file") from None
    except ValueError as fault:
        raise UsageError(
            f"{file}: is no JSON ({fault}); give the released file as it was downloaded"
        ) from None
    if isinstance(content, Mapping):
        records: tuple[tuple[str | None, Any], ...] = tuple(content.items())
    elif isinstance(content, list):
        records = tuple((None, record) for record in content)
    else:
        raise UsageError(f"{file}: is neither a list nor a mapping of {kind}")
    _require_kind(file.name, records, kind)
    source = f"{file.name}, sha256 {hashlib.sha256(data).hexdigest()}"
    return Release(file.name, source, records)


def load_published(published: Published, kind: Kind) -> Release:
    """Load a released file from the Hugging Face Hub at its pinned revision.

    Args:
        published: Which.
        kind: What it should hold.

    Raises:
        UsageError: It cannot be loaded.
    """
    rows = load_rows(
        published.repository,
        f"download {published.file} of revision {published.revision[:12]} and give it with "
        f"{_OPTION[kind]}",
        data_files=published.file,
        revision=published.revision,
    )
    records: tuple[tuple[str | None, Any], ...] = tuple((None, row) for row in rows)
    _require_kind(published.file, records, kind)
    source = f"https://huggingface.co/datasets/{published.repository} at {published.revision}"
    return Release(published.file, source, records)


def _require_kind(name: str, records: tuple[tuple[str | None, Any], ...], kind: Kind) -> None:
    """Refuse a file whose first record is plainly something else."""
    if not records:
        raise UsageError(f"{name}: holds nothing; give the released file of {kind}")
    first = records[0][1]
    found = {_TELLING[field] for field in _TELLING if isinstance(first, dict) and field in first}
    if found and kind not in found:
        raise UsageError(
            f"{name}: holds {' and '.join(sorted(found))}, not {kind}; "
            f"give the released {kind} with {_OPTION[kind]}"
        )
