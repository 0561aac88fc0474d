"""Plain tasks, from which environments are mined."""

import hashlib
import json
import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.scenario import Frozen
from envscaler_eval.synth.importers.loading import load_rows

API_BANK = tuple(
    "hf://datasets/liminghao1630/API-Bank@12e8158b7628c168f07e8f31fbbe3445e99f44cf/"
    f"training-data/lv{level}-train.json"
    for level in (1, 2, 3)
)
"""The training dialogues of API-Bank (Li et al. 2023), pinned."""

TOOLACE = "Team-ACE/ToolACE"
"""The dialogues of ToolACE (Liu et al. 2024), in the newest revision."""

_ADVICE = "take another source of tasks, or a file of your own"
_SLUG_CHARACTERS = 40


class Task(Frozen):
    """A request that somebody might make of some system.

    Attributes:
        text: The request.
        source: Where it is from.
    """

    text: str
    source: str

    @property
    def id(self) -> str:
        """A name that depends on the text alone: its first words and a hash."""
        words = re.sub(r"[^a-z0-9]+", "-", self.text.lower())[:_SLUG_CHARACTERS].strip("-")
        return f"{words}-{hashlib.sha256(self.text.encode()).hexdigest()[:6]}"


def read_tasks(source: str) -> list[Task]:
    """Return the tasks of a source, each text once.

    Args:
        source: `api-bank`, `toolace`, a `.jsonl` file whose lines have a `task`, or
            a file of plain text with one task a line.

    Raises:
        UsageError: There is no such source, or nothing in it.
    """
    if source == "api-bank":
        found = api_bank()
    elif source == "toolace":
        found = toolace()
    else:
        found = list(_from_file(Path(source)))
    if not found:
        raise UsageError(f"{source}: holds no tasks; write one a line, or name another source")
    # The place of a text is where it comes first.
    return list({task.text: task for task in found}.values())


def draw(tasks: Sequence[Task], limit: int | None, seed: int = 0) -> list[Task]:
    """Return some tasks by chance; of one seed, more of them contain fewer of them.

    Args:
        tasks: The tasks.
        limit: How many; all, and in their order, without.
        seed: Fixes the choice.
    """
    if limit is None:
        return list(tasks)
    drawn = list(tasks)
    random.Random(seed).shuffle(drawn)
    return drawn[:limit]


def api_bank(files: Sequence[str] = API_BANK) -> list[Task]:
    """Return the users' first words in API-Bank's training dialogues.

    Args:
        files: The dataset's files: paths or addresses.
    """
    rows = load_rows("json", _ADVICE, data_files=list(files))
    return _suitable("api-bank", (_first_words(row["input"]) for row in rows))


def toolace(source: str = TOOLACE, **options: Any) -> list[Task]:
    """Return the users' first requests in ToolACE.

    Args:
        source: The dataset, or `json` for files of its form.
        options: What `datasets.load_dataset` is told, such as those files.
    """
    texts = []
    for row in load_rows(source, _ADVICE, **options):
        first = row["conversations"][0]
        if first.get("from") == "user":
            texts.append(first["value"])
    return _suitable("toolace", texts)


def _first_words(dialogue: str) -> str:
    """Return what the user says first in a dialogue as API-Bank writes it."""
    said = dialogue.partition("User:")[2]
    return re.split(r"\nAI: |Generate API Request|TIME:", said)[0]


_UNSUITABLE = re.compile(
    r"\b(image|photo|picture|video|audio|sound|speech|clip)s?\b"
    r"|Role definition:|\bUSD\b|\bETH\b|Bitcoin|Ethereum|@|\.com\b|https?:",
    re.IGNORECASE,
)
"""What EnvScaler leaves out as well: other media, live markets, and addresses of the web."""


def _suitable(source: str, texts: Iterable[str]) -> list[Task]:
    tidy = (" ".join(text.split()) for text in texts)
    return [
        Task(text=text, source=source)
        for text in tidy
        if text and not _UNSUITABLE.search(text) and all(map(_latin, text))
    ]


def _latin(character: str) -> bool:
    if character.isascii() or not character.isalpha():
        return True
    return unicodedata.name(character, "").startswith("LATIN")


def _from_file(file: Path) -> Iterator[Task]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        told = fault.strerror if isinstance(fault, OSError) else "is no UTF-8 text"
        raise UsageError(
            f"{file}: cannot be read ({told}); give a file, or api-bank or toolace"
        ) from None
    for number, line in enumerate(lines, start=1):
        text = _task_of(file, number, line) if file.suffix == ".jsonl" else line
        if text.strip():
            yield Task(text=" ".join(text.split()), source=file.name)


def _task_of(file: Path, number: int, line: str) -> str:
    if not line.strip():
        return ""
    try:
        text = json.loads(line)["task"]
    except (ValueError, KeyError, TypeError):
        text = None
    if not isinstance(text, str):
        raise UsageError(f'{file}: line {number} is no task; write {{"task": "..."}}')
    return text
