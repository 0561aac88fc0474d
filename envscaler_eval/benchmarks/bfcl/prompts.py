"""The texts of the protocol, read from the official package."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FILE = "bfcl_eval/constants/default_prompts.py"


@dataclass(frozen=True)
class Prompts:
    """The texts of a snapshot.

    Attributes:
        snapshot: The snapshot.
        constants: The constants of the official module of prompts.
    """

    snapshot: str
    constants: Mapping[str, Any]

    @classmethod
    def read(cls, snapshot: str, folder: Path) -> "Prompts":
        """Read the texts from the folder of an unpacked wheel."""
        constants: dict[str, Any] = {}
        exec((folder / _FILE).read_text("utf-8"), constants)
        return cls(snapshot, constants)

    @property
    def step_limit(self) -> int:
        """How many steps a turn has before its next one ends the conversation."""
        limit: int = self.constants["MAXIMUM_STEP_LIMIT"]
        return limit

    @property
    def revealed(self) -> str:
        """What the user says when held-out tools have been added to the others."""
        text: str = self.constants["DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC"]
        return text

    def revealed_in_text(self, docs: Sequence[Mapping[str, Any]]) -> str:
        """Return what the user says to reveal held-out tools in the prompt mode."""
        text: str = self.constants["DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING"]
        return text.format(functions=list(docs))

    def system(self, docs: Sequence[Mapping[str, Any]]) -> str:
        """Return the system prompt of the prompt mode.

        Args:
            docs: The official descriptions of the tools that are offered.
        """
        constants = self.constants
        if self.snapshot == "v3":
            whole: str = constants["DEFAULT_SYSTEM_PROMPT"]
            return whole.format(functions=list(docs))
        style = constants["PROMPT_STYLE_TEMPLATES"]["classic"]
        template: str = constants["PROMPT_TEMPLATE_MAPPING"]["plaintext"]
        return template.format(
            persona=style["persona"],
            task=style["task"],
            tool_call_format=style["tool_call_no_tag"].format(
                output_format=constants["OUTPUT_FORMAT_MAPPING"]["python"],
                param_types=constants["PARAM_TYPE_MAPPING"]["python"],
            ),
            multiturn_behavior=style["multiturn_behavior"],
            available_tools=style["available_tools"].format(
                format="json", functions=json.dumps(list(docs), indent=4)
            ),
        )
