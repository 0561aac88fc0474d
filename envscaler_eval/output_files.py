"""Writing the files that a person asked for: what cannot be written ends in one line."""

import errno
import os
from pathlib import Path

from envscaler_eval.errors import UsageError


def check_writable(*files: Path | None) -> None:
    """Check before the work that its results will find their place.

    Args:
        files: The files to be written; `None` for those that nobody asked for.

    Raises:
        UsageError: A file cannot be written: it is a folder, its folder is missing,
            or permission is.
    """
    for file in files:
        if file is None:
            continue
        if file.is_dir():
            raise _refusal(file, errno.EISDIR)
        if not file.parent.is_dir():
            raise _refusal(file, errno.ENOENT)
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise _refusal(file, errno.EACCES)


def write_output(file: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8.

    Args:
        file: Where; its folder must be there.
        content: What.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as fault:
        raise _refusal(file, fault.errno) from None


def _refusal(file: Path, code: int | None) -> UsageError:
    told = os.strerror(code) if code else "unknown reason"
    return UsageError(f"{file}: cannot be written: {told}; name a file in a folder that is there")
