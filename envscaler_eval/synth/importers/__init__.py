"""Packs out of what others have published."""

from envscaler_eval.synth.importers.envscaler_hub import ImportChoices, import_release
from envscaler_eval.synth.importers.report import ImportReport
from envscaler_eval.synth.importers.shared import import_shared

__all__ = ["ImportChoices", "ImportReport", "import_release", "import_shared"]
