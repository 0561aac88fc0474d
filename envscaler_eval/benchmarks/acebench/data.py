"""The data of ACEBench's Agent part: where it is, and how to get it."""

import hashlib
import importlib.resources
import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from envscaler_eval.benchmarks.acebench.normalise import normalise, upstream_files
from envscaler_eval.benchmarks.data import (
    DATA_VARIABLE,
    DataError,
    data_root,
    download,
    verify,
)
from envscaler_eval.benchmarks.pinned_archive import (
    ARCHIVE_REMEDY,
    archived_files,
    install_files,
    other_layout,
)

REPOSITORY = "https://github.com/chenchen0103/ACEBench"
COMMIT = "56dd66cf6439b0d9655ee1b353e4cd745c6f664e"
ARCHIVE_URL = f"{REPOSITORY}/archive/{COMMIT}.tar.gz"

_NAME = "acebench"
_FETCH_REMEDY = "run `envscaler data fetch acebench`"
_DOWNLOAD_REMEDY = (
    f"connect to the network and try again, or point {DATA_VARIABLE} at a folder that "
    f"holds {_NAME}/"
)


def manifest() -> Mapping[str, str]:
    """Return the relative path of each data file and the sha256 of its content."""
    file = importlib.resources.files("envscaler_eval.benchmarks.acebench") / "manifest.json"
    return cast(dict[str, str], json.loads(file.read_text("utf-8")))


def data_hash() -> str:
    """Return one sha256 that stands for the pinned data, for logs."""
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(manifest().items()))
    return hashlib.sha256(listing.encode()).hexdigest()


def locate(data_dir: str | Path | None = None) -> Path:
    """Return the folder of the data, verified.

    Args:
        data_dir: A folder that holds `acebench/` in the normalised form. By
            default the folder named by `ENVSCALER_DATA`, else the cache.

    Returns:
        The `acebench` folder.

    Raises:
        DataError: If it is missing, incomplete or not the pinned data.
    """
    folder = data_root(data_dir) / _NAME
    if not folder.is_dir():
        raise DataError(
            f"{folder}: no ACEBench data; {_FETCH_REMEDY}, or point {DATA_VARIABLE} at a "
            f"folder that holds {_NAME}/"
        )
    verify(folder, manifest(), f"{_FETCH_REMEDY} to replace it")
    return folder


def fetch(data_dir: str | Path | None = None, archive_url: str = ARCHIVE_URL) -> Path:
    """Download the pinned upstream commit and keep its normalised data.

    The archive is read in memory; nothing of it is executed or unpacked.

    Args:
        data_dir: The folder that will hold `acebench/`. By default the folder
            named by `ENVSCALER_DATA`, else the cache.
        archive_url: Where the gzipped tar archive of the commit is, for mirrors.

    Returns:
        The `acebench` folder, verified.

    Raises:
        DataError: If the archive cannot be had, is not of the pinned commit, or
            the place cannot be written.
    """
    folder = data_root(data_dir) / _NAME
    upstream = _read_archive(download(archive_url, _DOWNLOAD_REMEDY), archive_url)
    try:
        files = normalise(upstream)
    except (LookupError, SyntaxError, ValueError, StopIteration) as error:
        raise other_layout(archive_url, COMMIT, error) from None
    install_files(folder, files, manifest())
    return folder


def _read_archive(content: bytes, url: str) -> dict[str, str]:
    """Return the text of the files that normalisation reads."""
    wanted = set(upstream_files())
    found = archived_files(content, url, wanted.__contains__)
    if missing := sorted(wanted - found.keys()):
        raise DataError(f"{url}: has no {missing[0]}; {ARCHIVE_REMEDY}")
    try:
        return {path: file.decode("utf-8") for path, file in found.items()}
    except UnicodeDecodeError as error:
        raise other_layout(url, COMMIT, error) from None
