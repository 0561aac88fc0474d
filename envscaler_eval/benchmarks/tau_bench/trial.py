"""A trial: one attempt at a task, and its grade.

What an `Episode` is for synthesised environments: the one object through which
agents act. It holds no model and no harness, and is a pure function of the task,
the calls and the replies, so that repeating them grades anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_eval.benchmarks.tau_bench.dataset import Call, Domain, Task
from envscaler_eval.benchmarks.tau_bench.grading import Grade, grade_world
from envscaler_eval.benchmarks.tau_bench.world import TauWorld
from envscaler_eval.world import ToolSpec

_FAILURES = ("Error: ", "Unknown action ")


class Trial:
    """A task being attempted. A `World`.

    Args:
        domain: The domain.
        task: The task.

    Attributes:
        domain: The domain.
        task: The task.
        failed_calls: How many calls were refused or broke.
        crash: Why upstream's harness would have recorded the trial as crashed,
            or None. The harness at hand may set it.
    """

    blocking = False

    def __init__(self, domain: Domain, task: Task) -> None:
        self.domain = domain
        self.task = task
        self.failed_calls = 0
        self.crash: str | None = None
        self._world = TauWorld(domain)
        self._calls: list[Call] = []
        self._replies: list[str] = []

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools, in the order in which they are shown."""
        return self._world.tools

    @property
    def calls(self) -> Sequence[Call]:
        """The calls made so far."""
        return self._calls

    @property
    def replies(self) -> Sequence[str]:
        """What the agent has said to the user so far."""
        return self._replies

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation."""
        self._calls.append(Call(name, dict(arguments)))
        observation = self._world.call(name, arguments)
        self.failed_calls += observation.startswith(_FAILURES)
        self.crash = self.crash or self._world.crash
        return observation

    def say(self, reply: str) -> None:
        """Say something to the user."""
        self._replies.append(reply)

    def state(self) -> dict[str, Any]:
        """Return a copy of the database."""
        return self._world.state()

    def data_hash(self) -> str:
        """Return upstream's hash of the database."""
        return self._world.data_hash()

    def grade(self) -> Grade:
        """Grade the trial as it stands, as if it had ended properly."""
        return grade_world(self._world, self.task, self._replies, crash=self.crash)
