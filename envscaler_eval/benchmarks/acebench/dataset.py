"""Tasks, answers, tools and initial states, as frozen data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from envscaler_eval.benchmarks.acebench.data import locate

Language = Literal["en", "zh"]
Kind = Literal["multi_step", "multi_turn"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
KINDS: tuple[Kind, ...] = get_args(Kind)

# One milestone list, or several alternative ones, each of official message texts.
Milestones = Sequence[str] | Sequence[Sequence[str]]


@dataclass(frozen=True)
class Task:
    """One task with its expected end.

    Attributes:
        language: Language of its texts and of its world.
        id: Upstream's id, `agent_multi_step_<n>` or `agent_multi_turn_<n>`.
        kind: Whether the question is the agent's or the simulated user's.
        question: What is wanted: the user's message to the agent (multi_step),
            or the hidden instruction of the simulated user (multi_turn).
        initial_config: Settings of platforms, by class name.
        classes: Class names of the platforms, in upstream's order.
        tool_names: The tools shown to the agent, in order.
        ground_truth: Expected attributes: one `{class: {attribute: value}}` each.
        milestones: Expected messages of the agent.
    """

    language: Language
    id: str
    kind: Kind
    question: str
    initial_config: Mapping[str, Mapping[str, Any]]
    classes: tuple[str, ...]
    tool_names: tuple[str, ...]
    ground_truth: Sequence[Mapping[str, Mapping[str, Any]]]
    milestones: Milestones

    @property
    def alternatives(self) -> Sequence[Sequence[str]]:
        """The milestone lists, one or more."""
        if isinstance(self.milestones[0], str):
            return [cast(Sequence[str], self.milestones)]
        return self.milestones


@dataclass(frozen=True)
class Dataset:
    """Everything that the benchmark has in one language.

    Attributes:
        language: Its language.
        tasks: The tasks by id, multi_step first, in upstream's order.
        schemas: Upstream's tool schemas by tool name, not JSON Schema.
        initial_data: Initial attributes of each platform class; keys that
            upstream has as integers are integers. Not to be modified.
        prompts: Upstream's prompt constants without their language suffix, by
            section and name.
    """

    language: Language
    tasks: Mapping[str, Task]
    schemas: Mapping[str, Mapping[str, Any]]
    initial_data: Mapping[str, Mapping[str, Any]]
    prompts: Mapping[str, Mapping[str, str]]

    def task(self, task_id: str) -> Task:
        """Return a task.

        Args:
            task_id: Its upstream id.

        Raises:
            ValueError: If there is none of that id.
        """
        try:
            return self.tasks[task_id]
        except KeyError:
            raise ValueError(
                f"ACEBench ({self.language}): no task {task_id!r}; ids run from "
                "agent_multi_step_0 and from agent_multi_turn_0"
            ) from None

    def subset(self, kind: Kind) -> tuple[Task, ...]:
        """Return the tasks of a kind, in upstream's order."""
        return tuple(task for task in self.tasks.values() if task.kind == kind)


def load(language: Language = "en", data_dir: str | Path | None = None) -> Dataset:
    """Load the benchmark in one language from verified data.

    Args:
        language: `en` or `zh`.
        data_dir: See `envscaler_eval.benchmarks.acebench.data.locate`.

    Raises:
        DataError: If the data is missing or not the pinned data.
        ValueError: If there is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"ACEBench has no language {language!r}; use 'en' or 'zh'")
    return read(locate(data_dir), language)


def read(folder: Path, language: Language) -> Dataset:
    """Read a folder in the normalised form, whatever data it holds.

    Args:
        folder: The folder that holds one folder for each language.
        language: Which of them to read.
    """

    def content(name: str) -> Any:
        return json.loads((folder / language / f"{name}.json").read_text(encoding="utf-8"))

    tasks: dict[str, Task] = {}
    for kind in KINDS:
        answers = {answer["id"]: answer for answer in content(f"possible_answers_agent_{kind}")}
        for task in content(f"tasks_agent_{kind}"):
            tasks[task["id"]] = _task(task, answers[task["id"]], kind, language)
    return Dataset(
        language=language,
        tasks=tasks,
        schemas=content("tool_schemas")["schemas"],
        initial_data={
            name: _with_integer_keys(platform) for name, platform in content("initial_data").items()
        },
        prompts={
            section: {
                name.removesuffix(f"_{language.upper()}"): text for name, text in prompts.items()
            }
            for section, prompts in content("prompts").items()
        },
    )


def _task(
    task: Mapping[str, Any], answer: Mapping[str, Any], kind: Kind, language: Language
) -> Task:
    return Task(
        language=language,
        id=task["id"],
        kind=kind,
        question=task["question"],
        initial_config=task["initial_config"],
        classes=tuple(task["involved_classes"]),
        tool_names=tuple(task["function_names"]),
        ground_truth=answer["ground_truth"],
        milestones=answer["mile_stone"],
    )


def _with_integer_keys(platform: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes with the integer keys that JSON could not keep."""
    attributes = dict(platform["attributes"])
    for name in platform["int_keyed"]:
        attributes[name] = {int(key): value for key, value in attributes[name].items()}
    return attributes


class Datasets:
    """The benchmark in its languages, each loaded when it is asked for, once."""

    def __init__(self, data_dir: str | Path | None = None) -> None:
        """Load nothing yet; for `data_dir` see `load`."""
        self._data_dir = data_dir
        self._loaded: dict[Language, Dataset] = {}

    def get(self, language: Language) -> Dataset:
        """Return the benchmark in a language; raises as `load` does."""
        if language not in self._loaded:
            self._loaded[language] = load(language, self._data_dir)
        return self._loaded[language]
