"""How a simulated user makes its messages, and how its model's replies are read."""

import re
from dataclasses import dataclass
from typing import Literal

UserStrategy = Literal["llm", "llm_react"]
"""`llm` says what the model says; `llm_react` has it think in writing first, and
says only its reply (EnvScaler, `user_agent.py`)."""

REACT_FORM = (
    "\n\n# Form of your messages\nEvery message has two parts, and the assistant reads only the "
    "second:\n# Thought:\nwhat has been told and done so far, and what you want to say next\n"
    "# Reply:\nwhat you say"
)

_PARTS = re.compile(r"\s*#+ *Thought:(.*?)^\s*#+ *Reply:(.*)", re.DOTALL | re.MULTILINE)
_LABEL = re.compile(r"^\s*#* *(thought|reply|assistant|agent|user)\s*:", re.I | re.MULTILINE)
_REASONING_END = "</think>"
_REASONING = "<think>"


@dataclass(frozen=True)
class Reply:
    """What a user says, and what it thought before.

    Attributes:
        said: What the assistant may read.
        thought: What it may not.
    """

    said: str
    thought: str = ""


def read_reply(strategy: UserStrategy, text: str) -> Reply | None:
    """Return what a model's reply says, or `None` if it lacks the form of its strategy.

    Reasoning that a server left in the text belongs to the thought. A reply that
    speaks for both sides, or shows the labels of its parts, has no form.

    Args:
        strategy: Whose form.
        text: The reply, not empty.
    """
    reasoning, _, text = text.rpartition(_REASONING_END)
    thoughts = [reasoning.replace(_REASONING, "").strip()]
    if strategy == "llm_react":
        parts = _PARTS.fullmatch(text)
        if parts is None:
            return None
        thoughts.append(parts[1].strip())
        text = parts[2]
    said = text.strip()
    if not said or _REASONING in said or _LABEL.search(said):
        return None
    return Reply(said, "\n".join(filter(None, thoughts)))
