"""What an import has made, and what it has left out."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envscaler_eval.pack import Pack

REPORT_FILE = "import_report.json"


class ItemFault(Exception):
    """One item cannot be imported: place, field, fault and remedy in one line."""


@dataclass
class ImportReport:
    """The course of an import.

    Attributes:
        sources: What was read, with what tells one version from another.
        packs: How many scenarios each pack holds that was written, by its id.
        dropped: What was left out and why, a line each.
        notes: What is worth knowing of what was imported, a line each.
        counts: Totals over all packs: scenarios without checks, checks, checks
            that are true at the start, checks that give no answer there.
    """

    sources: list[str]
    packs: dict[str, int] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, pack: Pack) -> None:
        """Count a pack that was written."""
        self.packs[pack.info.id] = len(pack.scenarios)
        checks = [check for scenario in pack.scenarios for check in scenario.checks]
        self.count("scenarios", len(pack.scenarios))
        self.count("ungraded scenarios", sum(not scenario.checks for scenario in pack.scenarios))
        self.count("checks", len(checks))
        self.count("guards, true at the start", sum(check.kind == "guard" for check in checks))

    def count(self, what: str, number: int) -> None:
        """Add to a total."""
        self.counts[what] = self.counts.get(what, 0) + number

    def as_json(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "sources": self.sources,
            "counts": {"environments": len(self.packs), **self.counts},
            "packs": self.packs,
            "dropped": self.dropped,
            "notes": self.notes,
        }

    def write(self, folder: Path) -> Path:
        """Write it beside the packs and return the file."""
        file = folder / REPORT_FILE
        draft = file.with_suffix(".draft")
        draft.write_text(
            json.dumps(self.as_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        draft.replace(file)
        return file
