"""The entries of a snapshot and all that belongs to them, read once per process."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from envscaler_eval.benchmarks.bfcl.backends import MODULES, BackendCode
from envscaler_eval.benchmarks.bfcl.data import SNAPSHOTS, Snapshot, check_data, locate
from envscaler_eval.benchmarks.bfcl.prompts import Prompts
from envscaler_eval.benchmarks.data import DataError

Category = Literal["base", "miss_func", "miss_param", "long_context"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

FunctionDoc = Mapping[str, Any]
"""An official description of a tool: `name`, `description`, `parameters`, `response`."""


@dataclass(frozen=True, eq=False)
class Entry:
    """An entry of the benchmark. Nothing in it is to be modified.

    Attributes:
        id: `multi_turn_<category>_<number>`.
        category: Its category.
        turns: What the user says in each turn; nothing where held-out tools
            are revealed.
        initial_config: Class -> the initial state of its instance.
        classes: The backends in play, in the order of their tools.
        held_out: Turn -> the tools that are offered only from then on.
        excluded: Tools that the data names as excluded; officially they are
            offered all the same.
        ground_truth: The expected calls of each turn, in the official form.
    """

    id: str
    category: Category
    turns: tuple[tuple[str, ...], ...]
    initial_config: Mapping[str, Any]
    classes: tuple[str, ...]
    held_out: Mapping[int, tuple[str, ...]]
    excluded: tuple[str, ...]
    ground_truth: tuple[tuple[str, ...], ...]

    @property
    def long_context(self) -> bool:
        """Whether the backends are filled up to be long."""
        return self.category == "long_context"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A snapshot. Nothing in it is to be modified.

    Attributes:
        snapshot: Its name.
        entries: The entries by id, in official order.
        docs: Class -> the descriptions of its tools, in official order.
        backends: The code of the backends.
        prompts: The texts of the protocol.
    """

    snapshot: Snapshot
    entries: Mapping[str, Entry]
    docs: Mapping[str, tuple[FunctionDoc, ...]]
    backends: BackendCode
    prompts: Prompts

    def entry(self, entry_id: str) -> Entry:
        """Return an entry.

        Raises:
            DataError: There is none of this id.
        """
        if entry_id not in self.entries:
            raise DataError(
                f"bfcl {self.snapshot}: no entry {entry_id!r}; ids are such as "
                f"{next(iter(self.entries))}"
            )
        return self.entries[entry_id]


def load(snapshot: Snapshot = "v4", data_dir: str | Path | None = None) -> Dataset:
    """Load a snapshot from the installed data, once per process and folder.

    Args:
        snapshot: `v4` or `v3`.
        data_dir: A folder that holds `bfcl/`; see `data.locate`.

    Returns:
        The snapshot.

    Raises:
        DataError: There is no such snapshot, or its data is not as pinned.
    """
    return _loaded(snapshot, locate(snapshot, data_dir))


@functools.cache
def _loaded(snapshot: Snapshot, folder: Path) -> Dataset:
    check_data(snapshot, folder)
    return read(snapshot, folder)


def read(snapshot: Snapshot, folder: Path) -> Dataset:
    """Read a snapshot from the folder of an unpacked wheel, whatever is in it.

    Args:
        snapshot: `v4` or `v3`.
        folder: The folder that holds `bfcl_eval/`.
    """
    assert snapshot in SNAPSHOTS
    data = folder / "bfcl_eval" / "data"
    entries = {}
    for category in CATEGORIES:
        name = f"BFCL_{snapshot}_multi_turn_{category}.json"
        questions = _lines(data / name)
        answers = _lines(data / "possible_answer" / name)
        # Officially they belong together by position, which ids confirm.
        for question, answer in zip(questions, answers, strict=True):
            entry = _entry(category, question, answer)
            entries[entry.id] = entry
    return Dataset(
        snapshot=snapshot,
        entries=MappingProxyType(entries),
        docs=MappingProxyType(
            {
                class_name: tuple(_lines(data / "multi_turn_func_doc" / f"{module}.json"))
                for class_name, module in MODULES.items()
            }
        ),
        backends=BackendCode.read(folder),
        prompts=Prompts.read(snapshot, folder),
    )


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _entry(category: Category, question: Mapping[str, Any], answer: Mapping[str, Any]) -> Entry:
    if question["id"] != answer["id"]:
        raise DataError(f"bfcl {question['id']}: its answer is that of {answer['id']}; fetch again")
    excluded = question.get("excluded_function", [])
    return Entry(
        id=question["id"],
        category=category,
        turns=tuple(
            tuple(message["content"] for message in messages) for messages in question["question"]
        ),
        initial_config=question["initial_config"],
        classes=tuple(question["involved_classes"]),
        held_out={
            int(turn): tuple(names) for turn, names in question.get("missed_function", {}).items()
        },
        excluded=tuple(excluded),
        ground_truth=tuple(tuple(calls) for calls in answer["ground_truth"]),
    )
