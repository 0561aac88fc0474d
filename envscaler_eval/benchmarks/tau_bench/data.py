"""The data of Tau-Bench: where it is, and how to get it.

It is not part of the package. It is extracted from one pinned commit of the
upstream repository (MIT, (c) 2024 Sierra), and each file is checked against the
sha256 in `manifest.json`.
"""

import contextlib
import hashlib
import importlib.resources
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from envscaler_eval.benchmarks.data import (
    DATA_VARIABLE,
    DataError,
    data_root,
    download,
    verify,
)
from envscaler_eval.benchmarks.pinned_archive import archived_files, install_files, other_layout
from envscaler_eval.benchmarks.tau_bench.extraction import ExtractionError, extract, is_source

REPOSITORY = "https://github.com/sierra-research/tau-bench"
COMMIT = "59a200c6d575d595120f1cb70fea53cef0632f6b"
ARCHIVE_URL = f"{REPOSITORY}/archive/{COMMIT}.tar.gz"

_NAME = "tau_bench"
_FETCH_REMEDY = (
    f"run `envscaler data fetch {_NAME}`, or point {DATA_VARIABLE} at a folder that holds {_NAME}/"
)
_DOWNLOAD_REMEDY = (
    f"connect to the network and try again, or point {DATA_VARIABLE} at a folder that "
    f"holds {_NAME}/"
)


def manifest() -> Mapping[str, str]:
    """Return the relative path of each data file and the sha256 of its content."""
    package = importlib.resources.files("envscaler_eval.benchmarks.tau_bench")
    text = package.joinpath("manifest.json").read_text("utf-8")
    return cast(dict[str, str], json.loads(text))


def domain_files(domain: str) -> Mapping[str, str]:
    """Return the part of the manifest that a domain needs."""
    return {
        path: sha256
        for path, sha256 in manifest().items()
        if path.startswith(f"{domain}/") or path == "prompts.json"
    }


def fingerprint(domain: str) -> str:
    """Return one sha256 for all data that a domain needs, by which a log names it."""
    lines = (f"{sha256}  {path}\n" for path, sha256 in sorted(domain_files(domain).items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def locate(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder in which the data is expected.

    Args:
        data_dir: A folder that holds `tau_bench/` in the normalised form. By
            default the folder named by `ENVSCALER_DATA`, else the cache.

    Returns:
        The `tau_bench` folder. It need not exist; see `check`.
    """
    return (data_root(None if data_dir is None else Path(data_dir)) / _NAME).absolute()


def check(folder: Path, files: Mapping[str, str] | None = None) -> None:
    """Check that a folder holds the pinned data.

    Args:
        folder: The `tau_bench` folder.
        files: Relative path -> sha256. By default the whole manifest.

    Raises:
        DataError: If the data is missing, incomplete or not the pinned one.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no Tau-Bench data; {_FETCH_REMEDY}")
    verify(folder, manifest() if files is None else files, _FETCH_REMEDY)


def installed(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Return the `tau_bench` folder, verified.

    Args:
        data_dir: See `locate`.

    Raises:
        DataError: See `check`.
    """
    folder = locate(data_dir)
    check(folder)
    return folder


def fetch(data_dir: str | os.PathLike[str] | None = None, archive_url: str = ARCHIVE_URL) -> Path:
    """Download the pinned upstream commit and keep its normalised data.

    The archive is read in memory; nothing of it is executed or unpacked. Data
    that is already in place and whole is left as it is.

    Args:
        data_dir: The folder that will hold `tau_bench/`. By default the folder
            named by `ENVSCALER_DATA`, else the cache.
        archive_url: Where the gzipped tar archive of the commit is, for mirrors.

    Returns:
        The `tau_bench` folder, verified.

    Raises:
        DataError: If the archive cannot be had, is not of the pinned commit, or
            the place cannot be written.
    """
    with contextlib.suppress(DataError):
        return installed(data_dir)
    folder = locate(data_dir)
    sources = archived_files(download(archive_url, _DOWNLOAD_REMEDY), archive_url, is_source)
    try:
        files = extract(sources)
    except ExtractionError as error:
        raise other_layout(archive_url, COMMIT, error) from None
    install_files(folder, files, manifest())
    return folder
