"""Where benchmark data lies, and how it gets there whole and verified.

Each benchmark keeps its data in a folder of its own name under one root. The
data is never part of this package: only the sha256 of every file is.
"""

import hashlib
import http.client
import os
import shutil
import tempfile
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from envscaler_eval.errors import UsageError

DATA_VARIABLE = "ENVSCALER_DATA"
_TIMEOUT_SECONDS = 60


class DataError(UsageError):
    """Benchmark data is missing, damaged or cannot be fetched.

    The message is one line that names the thing, the place and the remedy.
    """


def data_root(data_dir: str | Path | None = None) -> Path:
    """Return the folder that holds one folder for each benchmark.

    Args:
        data_dir: The folder itself, which wins over everything else.

    Returns:
        `data_dir`, else the folder named by `ENVSCALER_DATA`, else the cache
        `~/.cache/envscaler-eval`. It need not exist.
    """
    if data_dir is not None:
        return Path(data_dir).expanduser()
    if named := os.environ.get(DATA_VARIABLE):
        return Path(named).expanduser()
    return Path.home() / ".cache" / "envscaler-eval"


def verify(folder: Path, manifest: Mapping[str, str], remedy: str) -> None:
    """Check that a folder holds every file of a manifest, unchanged.

    Args:
        folder: The benchmark's folder.
        manifest: Relative path of each file to the sha256 of its content.
        remedy: What the user should do if it does not, for the message.

    Raises:
        DataError: If a file is missing or has another content.
    """
    for name, expected in manifest.items():
        path = folder / name
        try:
            content = path.read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DataError(f"{path}: cannot be read ({reason}); {remedy}") from None
        found = hashlib.sha256(content).hexdigest()
        if found != expected:
            raise DataError(
                f"{path}: sha256 is {found[:12]}..., expected {expected[:12]}...; {remedy}"
            )


def download(url: str, remedy: str) -> bytes:
    """Return what lies behind a URL.

    Args:
        url: An https (or, for tests and mirrors, file) URL.
        remedy: What the user should do if that fails, for the message.

    Returns:
        The whole content.

    Raises:
        DataError: If it cannot be read.
    """
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
            content: bytes = response.read()
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise DataError(f"{url}: cannot be downloaded ({reason}); {remedy}") from None
    return content


def install(folder: Path, build: Callable[[Path], None]) -> None:
    """Fill a folder so that it is either whole or not there at all.

    Args:
        folder: The folder to fill. What is there already is replaced, but
            only once the new content is complete.
        build: Writes the content into the empty folder that it is given, and
            raises to give up.

    Raises:
        DataError: If the place cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        workspace = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise DataError(
            f"{folder}: cannot be written ({error.strerror}); set {DATA_VARIABLE} to a "
            "folder that can"
        ) from None
    try:
        fresh = workspace / "new"
        fresh.mkdir()
        build(fresh)
        _replace(folder, fresh, workspace / "old")
    except OSError as error:
        raise DataError(
            f"{folder}: cannot be written ({error.strerror}); free the place and fetch again"
        ) from None
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _replace(folder: Path, fresh: Path, aside: Path) -> None:
    """Put a folder in the place of another, or leave that as it was."""
    if folder.exists():
        folder.rename(aside)
    try:
        fresh.rename(folder)
    except OSError:
        if aside.exists():
            aside.rename(folder)
        raise
