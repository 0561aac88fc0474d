"""Where Inspect's viewer shows a sample."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from envscaler_eval.errors import UsageError
from envscaler_eval.results.table import EpisodeRow, LogHeader, ResultTable

# `inspect view bundle` puts the logs here, beside the viewer's index.html.
_BUNDLED_LOGS = "logs"


@dataclass(frozen=True)
class Viewer:
    """A viewer, and where it has each log.

    Attributes:
        address: The address of the viewer, or the path of its folder from the page; `None`
            if there is no viewer.
        places: The path of a log -> its path in the viewer. Logs that are not in it are
            left out.
    """

    address: str | None
    places: Mapping[str, str]

    def sample(self, row: EpisodeRow) -> str | None:
        """Return where an episode is shown, if it is; one that never ran is not."""
        place = self.places.get(row.log.path)
        if self.address is None or place is None or row.missing == "not run":
            return None
        sample = quote(row.sample, safe="")
        return f"{self.address}#/logs/{quote(place)}/samples/sample/{sample}/{row.epoch}/"


def find_viewer(viewer: str | None, table: ResultTable, out: Path) -> Viewer:
    """Find the logs in a viewer.

    Args:
        viewer: The folder that `inspect view bundle` wrote, or the address where a bundle
            or `inspect view` is served.
        table: The logs.
        out: The file of the page, from which a folder is addressed.

    Raises:
        UsageError: The folder holds no bundle.
    """
    if viewer is None:
        return Viewer(None, {})
    if "://" in viewer:
        address = viewer if viewer.endswith((".html", "/")) else f"{viewer}/"
        return Viewer(address, _below_common_folder(table.logs))
    folder = Path(viewer)
    logs = folder / _BUNDLED_LOGS
    if not (folder / "index.html").is_file() or not logs.is_dir():
        raise UsageError(
            f"{viewer}: there is no bundle of Inspect's viewer; make one with `inspect view bundle "
            f"--log-dir LOGS --output-dir {viewer}`, or name an address"
        )
    bundled = {file.name: file.relative_to(logs).as_posix() for file in sorted(logs.rglob("*.*"))}
    from_page = os.path.relpath(folder.resolve(), out.resolve().parent)
    return Viewer(
        f"{quote(Path(from_page).as_posix())}/index.html",
        {
            log.path: bundled[Path(log.path).name]
            for log in table.logs
            if Path(log.path).name in bundled
        },
    )


def _below_common_folder(logs: Sequence[LogHeader]) -> dict[str, str]:
    """Return the logs' paths from the deepest folder that holds them all."""
    common = os.path.commonpath([os.path.dirname(os.path.abspath(log.path)) for log in logs])
    return {log.path: Path(os.path.relpath(log.path, common)).as_posix() for log in logs}
