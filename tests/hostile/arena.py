"""A place where hostile programs act, beside an episode that must not notice."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode, Grade
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.runtime.isolated import IsolatedRuntime, shared_server
from envscaler_eval.scenario import Check, Scenario, ToolCall

NOW = "2026-03-09T08:30:00"
STATE = {"balance": 10, "orders": {"o1": {"status": "open"}}}

TIGHT = Limits(
    call_seconds=20,
    call_cpu_seconds=0.3,
    check_seconds=20,
    check_cpu_seconds=0.3,
    memory_mib=64,
    message_mib=1,
)
"""Processor time decides, so that a busy machine changes no outcome."""

PAID = Check(
    about="the balance is 0",
    kind="goal",
    code=(
        "def check(initial, final):\n"
        "    return initial['balance'] == 10 and final['balance'] == 0\n"
    ),
)


def program(body: str, extra: str = "") -> Environment:
    """An environment with an honest tool, a hostile tool `attack` and more members."""
    source = (
        "class Desk:\n"
        '    """A desk."""\n\n'
        "    def pay(self) -> dict:\n"
        '        """Pay."""\n'
        "        self.balance = 0\n"
        '        return {"success": True}\n\n'
        "    def attack(self) -> dict:\n"
        '        """Attack."""\n' + indent(dedent(body).strip(), "        ") + "\n"
    )
    return environment(source + indent(dedent(extra), "    "))


def environment(source: str, class_name: str = "Desk", scratch: bool = False) -> Environment:
    """An environment of a whole program."""
    return Environment(
        id="hostile",
        title="Hostile",
        introduction="",
        rules=(),
        class_name=class_name,
        source=source,
        scratch=scratch,
    )


def scenario(checks: Sequence[Check] = (PAID,), state: Mapping[str, Any] | None = None) -> Scenario:
    """A scenario solved by paying."""
    return Scenario(
        id="pay",
        env="hostile",
        state=dict(STATE if state is None else state),
        now=NOW,
        task="Pay.",
        checks=tuple(checks),
        solution=(ToolCall(name="pay"),),
    )


@contextmanager
def attacked(
    hostile: Environment, limits: Limits = TIGHT, checks: Sequence[Check] = (PAID,)
) -> Iterator[Episode]:
    """An episode of a hostile program, without the gate, so that the inner walls stand alone."""
    runtime = IsolatedRuntime(hostile, limits, gate=False)
    with Episode(scenario(checks), runtime) as episode:
        yield episode


def attack(hostile: Environment, limits: Limits = TIGHT) -> str:
    """Let a program attack once and return what the agent observes."""
    with attacked(hostile, limits) as episode:
        return episode.call("attack", {})


def grade(hostile: Environment, tools: Sequence[str], checks: Sequence[Check] = (PAID,)) -> Grade:
    """Play tools of a hostile program and grade."""
    with attacked(hostile, checks=checks) as episode:
        for tool in tools:
            episode.call(tool, {})
        return episode.grade()


@dataclass(frozen=True)
class Traces:
    """What would show that something got out or was left behind."""

    server: int
    children: frozenset[str]
    descriptors: int

    @classmethod
    def now(cls) -> "Traces":
        """Look at this process and its fork server."""
        server = shared_server().get().pid
        return cls(server, children_of(server), len(os.listdir("/proc/self/fd")))


def children_of(pid: int) -> frozenset[str]:
    """The processes that a process has forked and not yet reaped."""
    return frozenset(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())


def settled(traces: Traces) -> bool:
    """Whether nothing is left of what came after; any request has the server reap."""
    for _ in range(2000):
        shared_server().get().drop(0)
        now = Traces.now()
        # What earlier tests had left open may be gone by now.
        if (
            now.server == traces.server
            and now.children <= traces.children
            and now.descriptors <= traces.descriptors
        ):
            return True
    return False


def says(text: str, pattern: str) -> bool:
    """Whether a reason has a form."""
    return re.search(pattern, text) is not None
