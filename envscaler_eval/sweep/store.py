"""Where a sweep keeps what it has done: a folder, or any store that fsspec knows."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

import fsspec

from envscaler_eval.errors import UsageError


class StoreError(UsageError):
    """The store cannot be reached, or not be written; that may pass."""


class Store:
    """Files below a folder or a URL such as `s3://bucket/sweep`, each whole or not there."""

    def __init__(self, root: str) -> None:
        """Open a store; nothing is made yet.

        Args:
            root: The folder or URL.

        Raises:
            UsageError: No file system is known for the URL.
        """
        root = root.removeprefix("file://")
        self.is_local = "://" not in root
        self.root = os.path.abspath(root) if self.is_local else root.rstrip("/")
        try:
            self._files, self._path = fsspec.url_to_fs(self.root)
        except (ImportError, ValueError) as fault:
            raise UsageError(
                f"{root}: {fault}; write to a folder, or install what serves such addresses"
            ) from None

    def url(self, name: str) -> str:
        """Return the full address of a file."""
        return f"{self.root}/{name}"

    def exists(self, name: str) -> bool:
        """Whether a file or folder is there."""
        with self._told_of(name, "looked for"):
            self._files.invalidate_cache()
            return bool(self._files.exists(self._at(name)))

    def names(self, folder: str, suffix: str = "") -> list[str]:
        """Return the files anywhere below a folder, relative to the store, sorted."""
        start = len(self._path.rstrip("/")) + 1
        with self._told_of(folder, "listed"):
            self._files.invalidate_cache()
            found = self._files.find(self._at(folder))
        return sorted(name[start:] for name in found if name.endswith(suffix))

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            FileNotFoundError: It is not there.
            StoreError: It cannot be read.
        """
        with self._told_of(name, "read"):
            return bytes(self._files.cat_file(self._at(name)))

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole: who reads it meanwhile sees the old one, or none.

        Raises:
            StoreError: The store cannot be written to.
        """
        place = self._at(name)
        with self._told_of(name, "written"):
            if not self.is_local:
                # Object stores show an object when it is complete.
                self._files.pipe_file(place, content)
                return
            draft = self._draft(name)
            with open(draft, "wb") as file:
                file.write(content)
            os.replace(draft, place)

    def copy(self, source: str, name: str) -> None:
        """Copy a file of the store to another name, whole."""
        if self.is_local:
            self.write(name, self.read(source))
            return
        with self._told_of(name, "written"):
            self._files.cp_file(self._at(source), self._at(name))

    def remove(self, name: str) -> None:
        """Remove a file or a folder, if it is there."""
        with self._told_of(name, "removed"):
            self._files.invalidate_cache()
            try:
                if self._files.exists(self._at(name)):
                    self._files.rm(self._at(name), recursive=True)
            except FileNotFoundError:
                # Another worker was faster.
                return

    @contextmanager
    def _told_of(self, name: str, what: str) -> Iterator[None]:
        """Tell in one line of whatever the store raises; of a file that is not there, Python's."""
        try:
            yield
        except Exception as fault:
            # Clients of object stores raise what they like: for a key, for a server.
            if isinstance(fault, FileNotFoundError) and what == "read":
                raise
            told = getattr(fault, "strerror", None) or " ".join(str(fault).split())
            raise StoreError(
                f"{self.url(name)}: cannot be {what}: {told or type(fault).__name__}; mend it, or "
                "use another place"
            ) from None

    def _at(self, name: str) -> str:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ValueError(f"{name}: leads out of the store")
        return f"{self._path.rstrip('/')}/{name}".rstrip("/")

    def _draft(self, name: str) -> str:
        place = self._at(name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return f"{place}.{uuid.uuid4().hex[:8]}.draft"
