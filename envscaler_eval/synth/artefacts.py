"""What a run has made so far: append-only JSONL, found again by content.

A record's key is a hash of all that it depends on, so that a resumed run finds
what is still valid, and what has changed is made anew beside the old. A process
may be killed at any moment: a line is appended in one write, and half a line at
a file's end is cut off when the folder is opened again.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from envscaler_eval.errors import UsageError

Record = dict[str, Any]


def content_key(*parts: Any) -> str:
    """Return the key of what depends on these parts, which are JSON data."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class Records(Protocol):
    """What a run needs of the place that has its records."""

    def get(self, collection: str, key: str) -> Record | None:
        """Return a record, or `None` when it has not been made."""
        ...

    def put(self, collection: str, key: str, record: Record) -> None:
        """Add a record, unless it is there; once this returns, it outlives the process."""
        ...

    def keep_prompt(self, name: str, text: str) -> str:
        """Keep a prompt that nobody has answered, for who writes the answer; tell where."""
        ...


class Artefacts:
    """The records of one run, in a folder that one process at a time may write to."""

    def __init__(self, folder: Path) -> None:
        """Open a folder, make it if need be, and forget the prompts that it has kept.

        Args:
            folder: Where the records are.

        Raises:
            UsageError: Another process works in it, or it cannot be written.
        """
        self.folder = folder
        self._missing = folder / "missing"
        self._files: dict[str, int] = {}
        self._records: dict[str, dict[str, Record]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as fault:
            raise UsageError(f"{folder}: cannot be written: {fault.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise UsageError(
                f"{folder}: another run is working here; wait for it or take another folder"
            ) from None
        shutil.rmtree(self._missing, ignore_errors=True)

    def get(self, collection: str, key: str) -> Record | None:
        """Return a record, or `None` when it has not been made."""
        return self._loaded(collection).get(key)

    def put(self, collection: str, key: str, record: Record) -> None:
        """Append a record, unless it is there.

        Args:
            collection: The kind of record, which names the file.
            key: From `content_key`.
            record: JSON data.
        """
        records = self._loaded(collection)
        if key in records:
            return
        line = json.dumps({"key": key, **record}, ensure_ascii=False, separators=(",", ":"))
        data = f"{line}\n".encode(errors="surrogatepass")
        written = os.write(self._files[collection], data)
        while written < len(data):
            written += os.write(self._files[collection], data[written:])
        records[key] = record

    def keep_prompt(self, name: str, text: str) -> str:
        """Keep a prompt that nobody has answered, and return its file."""
        file = self._missing / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)

    def _loaded(self, collection: str) -> dict[str, Record]:
        if collection not in self._records:
            file = self.folder / f"{collection}.jsonl"
            self._files[collection] = os.open(
                file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
            )
            _cut_half_a_line(self._files[collection])
            self._records[collection] = {
                record.pop("key"): record for record in read_records(self.folder, collection)
            }
        return self._records[collection]

    def close(self) -> None:
        """Let another process work in the folder."""
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()
        self._records.clear()
        os.close(self._lock)

    def __enter__(self) -> "Artefacts":
        """Return the records themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()


def read_records(folder: Path, collection: str) -> Iterator[Record]:
    """Yield the records of a collection in the order of writing, each with its key.

    Half a line at the end, which a killed process leaves, is passed over.

    Args:
        folder: The folder of a run.
        collection: The kind of record.

    Raises:
        UsageError: A line is no record.
    """
    file = folder / f"{collection}.jsonl"
    if not file.exists():
        return
    with file.open(encoding="utf-8", errors="surrogatepass") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith("\n"):
                return
            try:
                record = json.loads(line)
                record["key"]
            except (ValueError, KeyError, TypeError):
                raise UsageError(
                    f"{file}: line {number} is no record; remove it, and it is made anew"
                ) from None
            yield record


def _cut_half_a_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    end = size
    block = 65536
    while end > 0:
        start = max(0, end - block)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
