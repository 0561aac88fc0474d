"""The dialogue as the EnvScaler paper evaluated it: native calls, one a turn.

Source: EnvScaler's `interact_with_env/acebench_env/{base,multi_step,multi_turn}_env.py`.
"""

from collections.abc import Mapping
from typing import Any

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Task
from envscaler_eval.benchmarks.acebench.execution import NO_QUESTIONS
from envscaler_eval.benchmarks.acebench.official import FINISH, Ending, Speaker
from envscaler_eval.benchmarks.acebench.prompts import (
    ChatMessage,
    policy_without_call_format,
    user_prompt,
)
from envscaler_eval.benchmarks.acebench.worlds import AceWorld
from envscaler_eval.scenario import ToolCall

MAX_ACTIONS = 20
COMPLETED = "Task Completed"

_FINISHED = "Task finished"
_EMPTY_ACTION = "Action is empty."


class PaperDialogue:
    """A dialogue in which the agent calls tools natively.

    The agent's history is an ordinary chat that its solver keeps; this says what
    it is told and when it is over. The end state counts whatever was run.

    Attributes:
        world: The world that the agent's calls run on.
        turn: Who speaks next, None when it is over.
        ended_by: Why it is over, None until then.
        process: The calls of the agent, written as milestones are.
    """

    def __init__(self, dataset: Dataset, task: Task) -> None:
        """Start with the question, or with the simulated user's turn.

        Args:
            dataset: The benchmark in the task's language.
            task: The task.
        """
        self.world = AceWorld(dataset, task)
        self.ended_by: Ending | None = None
        self.process: list[str] = []
        self._has_user = task.kind == "multi_turn"
        self.turn: Speaker | None = "user" if self._has_user else "agent"
        self._opening = None if self._has_user else task.question
        self._actions = 0
        self._user_history = user_prompt(dataset, task) if self._has_user else []
        self.rules = policy_without_call_format(dataset, task) if self._has_user else ""

    @property
    def opening(self) -> str | None:
        """The first message to the agent, None while the user has not spoken."""
        return self._opening

    def user_prompt(self) -> list[ChatMessage]:
        """Return what the simulated user is shown."""
        return list(self._user_history)

    def user_says(self, message: str) -> None:
        """Take the user's message, of which the first cannot end the dialogue."""
        self._user_history.append(ChatMessage("assistant", message))
        self.turn = "agent"
        if self._opening is None:
            self._opening = message
        elif FINISH in message:
            self._end("user_stop")
        else:
            self._end_at_limit()

    def agent_acts(self, content: str, call: ToolCall | None = None) -> str | None:
        """Take the agent's action.

        Args:
            content: What it says, empty if nothing.
            call: Its first call, if it makes one; the paper drops all others.

        Returns:
            What it is told: the observation of its call or a fixed answer; None
            if the simulated user is to answer.
        """
        self._actions += 1
        if call is not None:
            self.process.append(as_milestone(call.name, call.arguments))
        if not self._has_user and COMPLETED in content:
            self._end("completed")
            return _FINISHED
        if call is None and content and self._has_user:
            self._user_history.append(ChatMessage("user", content))
            self.turn = "user"
            return None
        self._end_at_limit()
        if call is not None:
            return self.world.call(call.name, call.arguments)
        return NO_QUESTIONS if content else _EMPTY_ACTION

    def agent_garbles(self) -> None:
        """Count an action whose call cannot be read, so that nothing runs."""
        self._actions += 1
        self._end_at_limit()

    def result(self) -> list[dict[str, Any]]:
        """Return the end state in upstream's form."""
        return self.world.result()

    def _end_at_limit(self) -> None:
        if self._actions >= MAX_ACTIONS:
            self._end("step_limit")

    def _end(self, ending: Ending) -> None:
        self.ended_by = ending
        self.turn = None


def as_milestone(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as the paper writes it for process scoring.

    Args:
        name: The tool's name.
        arguments: Its arguments.

    Returns:
        `[name(key='text', other=1)]`: quotes in texts are not escaped, as in most
        milestones.
    """
    written = (
        f"{key}='{value}'" if isinstance(value, str) else f"{key}={value}"
        for key, value in arguments.items()
    )
    return f"[{name}({', '.join(written)})]"
