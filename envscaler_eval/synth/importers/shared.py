"""Importing packs from the data sets that `envscaler export hub` writes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.pack_rows import pack_of_rows
from envscaler_eval.pack_writing import require_no_pack, write_pack
from envscaler_eval.synth.importers.loading import load_rows
from envscaler_eval.synth.importers.report import ImportReport


def import_shared(source: str, out: Path, revision: str | None = None) -> ImportReport:
    """Turn a data set of packs into packs again; a faulty one is left out, with the reason.

    Args:
        source: A folder, or a data set on the Hugging Face Hub.
        out: The folder for the packs.
        revision: The commit of a data set on the Hub.

    Raises:
        UsageError: It cannot be loaded, a pack is there already, or nothing
            could be imported.
    """
    environments = list(_rows(source, "environments", revision))
    scenarios: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(source, "scenarios", revision):
        scenarios.setdefault(str(row.get("env")), []).append(row)
    for row in environments:
        require_no_pack(out / str(row.get("env")))
    report = ImportReport([f"{source} at {revision}" if revision else source])
    for row in environments:
        try:
            pack = pack_of_rows(row, scenarios.get(str(row.get("env")), []))
        except UsageError as fault:
            report.dropped.append(f"{source}: {fault.message}")
            continue
        write_pack(pack, out)
        report.add(pack)
    if not report.packs:
        first = report.dropped[0] if report.dropped else f"{source} holds no environment"
        raise UsageError(f"nothing could be imported; first of all, {first}")
    report.write(out)
    return report


def _rows(source: str, table: str, revision: str | None) -> Iterator[dict[str, Any]]:
    return load_rows(
        source,
        f"it needs the table '{table}' that `envscaler export hub` writes",
        name=table,
        revision=revision,
        streaming=True,
    )
