"""The reward of Tau-Bench.

Source: `Env.calculate_reward` in `tau_bench/envs/base.py`.
"""

import functools
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from envscaler_eval.benchmarks.tau_bench.canonical import canonical
from envscaler_eval.benchmarks.tau_bench.dataset import Call, Domain, Task, load
from envscaler_eval.benchmarks.tau_bench.protocol import RESPOND, ends_trial
from envscaler_eval.benchmarks.tau_bench.world import TauWorld


@dataclass(frozen=True)
class OutputMatch:
    """Whether the agent said one of the things that it had to say.

    Attributes:
        output: What it had to say.
        found: Whether one of its replies contains that.
    """

    output: str
    found: bool


@dataclass(frozen=True)
class Grade:
    """A reward and its parts.

    Attributes:
        reward: 1.0 if the data matches, all outputs are found and nothing
            crashed, else 0.0.
        data_match: Whether the final database equals the one that the task's
            own actions lead to.
        outputs: The outputs, in the task's order.
        differences: The records that differ, as `table/id`, sorted.
        crash: Why upstream would have recorded the trial as crashed, which
            scores 0 whatever the parts are; or None.
    """

    reward: float
    data_match: bool
    outputs: tuple[OutputMatch, ...]
    differences: tuple[str, ...]
    crash: str | None


def grade(
    domain: str,
    split: str,
    task_index: int,
    calls: Iterable[Any],
    replies: Iterable[str],
    data_dir: str | os.PathLike[str] | None = None,
) -> Grade:
    """Grade a trial that has ended properly, by replaying its calls.

    Upstream grades only when the user stopped or the agent transferred; every
    other trial scores 0, which is for the caller to see to.

    Args:
        domain: `retail` or `airline`.
        split: `test`, and for retail `train` and `dev`.
        task_index: The task's place in the split, from 0.
        calls: The agent's calls in order, each (name, arguments) or another
            form that `Call.of` reads. A call named `respond` is a reply, as it
            is upstream.
        replies: What the agent said to the user, each reply by itself. Text
            beside a tool call is not a reply.
        data_dir: A folder that holds `tau_bench/`; see `open_world`.

    Returns:
        The reward with its parts.

    Raises:
        DataError: There is no such task, or no data.
    """
    known = load(domain, data_dir)
    return grade_trial(known, known.task(split, task_index), calls, replies)


def grade_trial(
    domain: Domain,
    task: Task,
    calls: Iterable[Any],
    replies: Iterable[str],
) -> Grade:
    """Grade a trial of a given task; see `grade`."""
    world = TauWorld(domain)
    said = list(replies)
    crash = None
    for name, arguments in map(Call.of, calls):
        if name != RESPOND:
            world.call(name, arguments)
        elif "content" in arguments:
            said.append(arguments["content"])
        else:
            crash = crash or "respond was called without content"
    return grade_world(world, task, said, crash=crash)


def grade_world(
    world: TauWorld, task: Task, replies: Iterable[str], *, crash: str | None = None
) -> Grade:
    """Grade a world in its final state.

    Args:
        world: The world, which is not modified.
        task: The task.
        replies: What the agent said to the user.
        crash: Why the trial crashed outside the world, if it did.

    Returns:
        The reward with its parts.
    """
    gold = _gold(world.domain, task)
    differences = _differences(world.domain, world.changes(), gold.changes)
    said = tuple(replies)
    outputs = tuple(OutputMatch(output, _is_said(output, said)) for output in task.outputs)
    crash = crash or world.crash or gold.crash
    if crash is None and task.outputs and not all(isinstance(reply, str) for reply in said):
        crash = "a reply is not a text"
    passed = not differences and all(match.found for match in outputs) and crash is None
    return Grade(
        reward=1.0 if passed else 0.0,
        data_match=not differences,
        outputs=outputs,
        differences=differences,
        crash=crash,
    )


@dataclass(frozen=True)
class _Gold:
    """What a task's own actions make of the database."""

    changes: Mapping[tuple[str, str], str]
    crash: str | None


# All tasks of all splits, and those of a few small domains in tests.
@functools.lru_cache(maxsize=2048)
def _gold(domain: Domain, task: Task) -> _Gold:
    world = TauWorld(domain)
    for name, arguments in task.actions:
        # Failing actions count as upstream counts them: they change nothing.
        if not ends_trial(name):
            world.call(name, arguments)
    return _Gold(MappingProxyType(world.changes()), world.crash)


def _differences(
    domain: Domain,
    one: Mapping[tuple[str, str], str],
    other: Mapping[tuple[str, str], str],
) -> tuple[str, ...]:
    """Return the records in which two databases differ.

    Databases hash alike exactly when each record's canonical text is alike, so
    it is enough to compare the records that either of them has written.
    """

    def text(changes: Mapping[tuple[str, str], str], key: tuple[str, str]) -> str | None:
        if key in changes:
            return changes[key]
        record = domain.tables[key[0]].get(key[1])
        return None if record is None else canonical(record)

    keys = sorted({*one, *other})
    return tuple("/".join(key) for key in keys if text(one, key) != text(other, key))


def _is_said(output: str, replies: Iterable[str]) -> bool:
    """Tell whether one reply contains an output.

    Case and the reply's commas, but not the output's, are disregarded. Any
    substring will do: `10` is found in `100`.
    """
    wanted = output.lower()
    return any(
        wanted in reply.lower().replace(",", "") for reply in replies if isinstance(reply, str)
    )
