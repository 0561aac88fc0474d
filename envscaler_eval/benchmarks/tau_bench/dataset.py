"""The two domains of Tau-Bench as immutable data, loaded once per process."""

import functools
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.benchmarks.tau_bench import airline, data, retail
from envscaler_eval.benchmarks.tau_bench.canonical import CanonicalBase
from envscaler_eval.benchmarks.tau_bench.tables import Record
from envscaler_eval.benchmarks.tau_bench.tool import Tool
from envscaler_eval.world import ToolSpec

DOMAINS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Tool]]] = MappingProxyType(
    {"retail": (retail.TABLES, retail.TOOLS), "airline": (airline.TABLES, airline.TOOLS)}
)
Read = Callable[[str], bytes]


class Call(NamedTuple):
    """A call of a tool.

    Attributes:
        name: The tool.
        arguments: A JSON object. Not to be modified.
    """

    name: str
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, value: Any) -> "Call":
        """Read a call in any form in which calls are kept.

        Args:
            value: A pair of name and arguments, an object with these
                attributes, or a mapping with `name` and `arguments` or, as in
                upstream's files, `kwargs`.

        Returns:
            The call.

        Raises:
            TypeError: It is none of these.
        """
        if isinstance(value, Mapping):
            arguments = value.get("arguments", value.get("kwargs"))
            pair = (value.get("name"), arguments)
        elif isinstance(value, tuple | list) and len(value) == 2:
            pair = (value[0], value[1])
        else:
            pair = (getattr(value, "name", None), getattr(value, "arguments", None))
        name, arguments = pair
        if not (isinstance(name, str) and isinstance(arguments, Mapping)):
            raise TypeError(f"expected a call as (name, arguments), got {value!r:.100}")
        return cls(name, arguments)


@dataclass(frozen=True, eq=False)
class Task:
    """A task, as upstream's `tau_bench/types.py` has it.

    Attributes:
        index: Its place in the split, from 0.
        user_id: The user it is about.
        instruction: What the simulated user is told.
        actions: The calls that lead to the wanted state.
        outputs: What the agent must have said.
    """

    index: int
    user_id: str
    instruction: str
    actions: tuple[Call, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """A domain's database, tools and tasks. Nothing in it is to be modified.

    Attributes:
        name: `retail` or `airline`.
        tables: Table name -> record id -> record, in file order.
        tools: The tools as an agent sees them, in upstream's order.
        functions: Tool name -> function.
        tool_schemas: The tools in the form of OpenAI's API, as upstream has them.
        policy: The agent's system prompt.
        tasks: Split -> tasks.
        prompts: The prompts of simulated users and agents, by name.
    """

    name: str
    tables: Mapping[str, Mapping[str, Record]]
    tools: tuple[ToolSpec, ...]
    functions: Mapping[str, Tool]
    tool_schemas: tuple[Mapping[str, Any], ...]
    policy: str
    tasks: Mapping[str, tuple[Task, ...]]
    prompts: Mapping[str, str]

    @functools.cached_property
    def canonical(self) -> CanonicalBase:
        """The text of the database that hashes are taken of."""
        return CanonicalBase(self.tables)

    def split(self, name: str) -> tuple[Task, ...]:
        """Return the tasks of a split.

        Raises:
            DataError: The domain has no such split.
        """
        if name not in self.tasks:
            known = ", ".join(self.tasks)
            raise DataError(f"tau_bench {self.name}: no split {name!r}; choose from {known}")
        return self.tasks[name]

    def task(self, split: str, index: int) -> Task:
        """Return a task.

        Raises:
            DataError: The domain has no such split or task.
        """
        tasks = self.split(split)
        # Negative indices are refused too: upstream's `random.randint` was off by
        # one, and a task by accident is worse than none.
        if not 0 <= index < len(tasks):
            raise DataError(
                f"tau_bench {self.name}/{split}: no task {index}; "
                f"indices run from 0 to {len(tasks) - 1}"
            )
        return tasks[index]


def load(name: str, data_dir: str | os.PathLike[str] | None = None) -> Domain:
    """Load a domain from the installed data, once per process and folder.

    Args:
        name: `retail` or `airline`.
        data_dir: A folder that holds `tau_bench/`; see `data.locate`.

    Returns:
        The domain.

    Raises:
        DataError: There is no such domain, or the data is not as pinned.
    """
    if name not in DOMAINS:
        raise DataError(f"tau_bench: no domain {name!r}; choose from {', '.join(DOMAINS)}")
    return _loaded(name, data.locate(data_dir))


def tasks(
    domain: str, split: str = "test", data_dir: str | os.PathLike[str] | None = None
) -> tuple[Task, ...]:
    """Return the tasks of a split.

    Args:
        domain: `retail` or `airline`.
        split: `test`, and for retail `train` and `dev`.
        data_dir: A folder that holds `tau_bench/`; see `data.locate`.

    Returns:
        The tasks, in upstream's order.

    Raises:
        DataError: There is no such domain or split, or the data is not as
            pinned.
    """
    return load(domain, data_dir).split(split)


@functools.cache
def _loaded(name: str, folder: Path) -> Domain:
    files = data.domain_files(name)
    data.check(folder, files)
    splits = [
        Path(path).stem.removeprefix("tasks_")
        for path in files
        if path.startswith(f"{name}/tasks_")
    ]
    return build(name, lambda path: (folder / path).read_bytes(), splits)


def build(name: str, read: Read, splits: list[str]) -> Domain:
    """Make a domain from files in the normalised form.

    Args:
        name: `retail` or `airline`.
        read: Gives a file's content by its path, such as `retail/users.json`.
        splits: The splits that there are.

    Returns:
        The domain.
    """
    tables, functions = DOMAINS[name]
    schemas = json.loads(read(f"{name}/tools.json"))
    return Domain(
        name=name,
        tables=MappingProxyType(
            {table: json.loads(read(f"{name}/{table}.json")) for table in tables}
        ),
        tools=tuple(_spec(schema["function"]) for schema in schemas),
        functions=functions,
        tool_schemas=tuple(schemas),
        policy=read(f"{name}/policy.md").decode(),
        tasks=MappingProxyType(
            {split: _tasks(read(f"{name}/tasks_{split}.json")) for split in splits}
        ),
        prompts=MappingProxyType(json.loads(read("prompts.json"))),
    )


def _spec(function: Mapping[str, Any]) -> ToolSpec:
    return ToolSpec(function["name"], function["description"], function["parameters"])


def _tasks(content: bytes) -> tuple[Task, ...]:
    return tuple(
        Task(
            index=index,
            user_id=task["user_id"],
            instruction=task["instruction"],
            actions=tuple(Call(action["name"], action["kwargs"]) for action in task["actions"]),
            outputs=tuple(task["outputs"]),
        )
        for index, task in enumerate(json.loads(content))
    )
