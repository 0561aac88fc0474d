"""Data made of the source archive of one pinned commit, which is read and never unpacked."""

import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

from envscaler_eval.benchmarks.data import DataError, install, verify

ARCHIVE_REMEDY = "fetch again, or use the archive of the pinned commit"


def archived_files(content: bytes, url: str, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Return files of a source archive, by their paths below its one top folder.

    Args:
        content: A gzipped tar archive, as a code host makes it of a commit.
        url: Where it is from.
        wanted: Whether a path is wanted.

    Raises:
        DataError: It cannot be read.
    """
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
            for member in archive:
                _, _, path = member.name.partition("/")
                if wanted(path) and member.isfile() and (file := archive.extractfile(member)):
                    found[path] = file.read()
    except (tarfile.TarError, OSError, EOFError, ValueError, KeyError) as error:
        raise DataError(
            f"{url}: not a readable tar.gz archive ({error}); {ARCHIVE_REMEDY}"
        ) from None
    return found


def other_layout(url: str, commit: str, fault: Exception) -> DataError:
    """Return what says that an archive is not of the pinned commit."""
    return DataError(f"{url}: not laid out as commit {commit[:12]} ({fault}); {ARCHIVE_REMEDY}")


def install_files(folder: Path, files: Mapping[str, bytes], manifest: Mapping[str, str]) -> None:
    """Put files into a folder, all or none, once they are found to be the pinned ones.

    Args:
        folder: The folder.
        files: Their contents, by relative path.
        manifest: The sha256 of each.

    Raises:
        DataError: They are others, or the folder cannot be written.
    """

    def build(fresh: Path) -> None:
        for name, content in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        verify(fresh, manifest, ARCHIVE_REMEDY)

    install(folder, build)
