"""What the platforms say, in both languages, from one table.

The table is `texts.json`: for each key the text in each language, with named
fields. A language lacks what only the other's platforms can say. The wording is
upstream's, `model_inference/multi_turn/scenarios{en,zh}`: agents read it, and the
golden vectors compare it.
"""

import importlib.resources
import json
from typing import Any

from envscaler_eval.benchmarks.acebench.dataset import Language


class Texts:
    """The texts of one language."""

    def __init__(self, language: Language) -> None:
        """Read the texts of a language."""
        self.language: Language = language
        file = importlib.resources.files("envscaler_eval.benchmarks.acebench") / "texts.json"
        self._texts: dict[str, str] = {
            key: texts[language]
            for key, texts in json.loads(file.read_text("utf-8")).items()
            if language in texts
        }

    def __call__(self, key: str, **fields: Any) -> str:
        """Return a text.

        Args:
            key: Its key in the table, `<platform>.<what it says>`.
            fields: What its fields are filled with.
        """
        return self._texts[key].format(**fields)
