"""The official loops: who speaks next, what they are shown, when it is over.

A dialogue runs no model. Its user asks it whose turn it is and what to show
them, and tells it what they said:

    while dialogue.turn is not None:
        dialogue.say(await speak(dialogue))

Source: `APIModelInference.multi_step_inference` and `multi_turn_inference`, and
the prompts of `APIModel_agent.py` and `APIModel_user.py`.
"""

from collections.abc import Mapping
from typing import Any, Literal

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Task
from envscaler_eval.benchmarks.acebench.execution import (
    Execution,
    execute_multi_step,
    execute_multi_turn,
    is_for_execution,
)
from envscaler_eval.benchmarks.acebench.prompts import (
    ChatMessage,
    multi_step_prompt,
    multi_turn_prompt,
    user_prompt,
)
from envscaler_eval.benchmarks.acebench.worlds import AceWorld

Speaker = Literal["agent", "user"]
Ending = Literal["completed", "user_stop", "step_limit"]

FINISH = "finish conversation"

# Messages of any party after the first; in multi_step half of them are the agent's.
MAX_MESSAGES = 40

# A message with this or a lower number does not end a run, whatever it says.
_LAST_UNHEARD = 1


class Dialogue:
    """What both kinds of dialogue share.

    Attributes:
        world: The world that the agent's calls run on.
        turn: Who speaks next, None when it is over.
        ended_by: Why it is over, None until then.
        process: The messages of the agent that went to the executor.
    """

    def __init__(self, dataset: Dataset, task: Task) -> None:
        """Set up a fresh world.

        Args:
            dataset: The benchmark in the task's language.
            task: The task.
        """
        self.world = AceWorld(dataset, task)
        self.turn: Speaker | None = "agent"
        self.ended_by: Ending | None = None
        self.process: list[str] = []
        self._count = 0
        self._kept = False

    def result(self) -> list[dict[str, Any]]:
        """Return the end state in upstream's form, empty if nothing ever ran."""
        return self.world.result() if self._kept else []

    def _executed(self, message: str, execution: Execution) -> None:
        self.process.append(message)
        self._kept = self._kept or execution.kept
        self._counted(execution.observation, "completed")

    def _counted(self, message: Any, ending: Ending) -> None:
        """Count a message, and end the dialogue if it says so or is the last.

        An observation is a list, and ends it if the words are one of its items.
        """
        if self._count > _LAST_UNHEARD and FINISH in message:
            self._end(ending)
        self._count += 1
        if self.ended_by is None and self._count == MAX_MESSAGES:
            self._end("step_limit")

    def _end(self, ending: Ending) -> None:
        self.ended_by = ending
        self.turn = None


class MultiStepDialogue(Dialogue):
    """Agent and executor take turns; the agent never sees what it said before."""

    def __init__(
        self, dataset: Dataset, task: Task, prompts: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """Start with the user's question.

        Args:
            dataset: The benchmark in the task's language.
            task: A multi_step task.
            prompts: Prompts of the language that the agent is addressed in, by
                default the task's. Upstream addresses API models in Chinese
                whatever the task's language; pass the Chinese prompts for that.
        """
        super().__init__(dataset, task)
        self._dataset = dataset
        self._task = task
        self._prompts = prompts or dataset.prompts
        self._history = f"user:{task.question}\n"

    def agent_prompt(self) -> list[ChatMessage]:
        """Return what the agent is shown."""
        return multi_step_prompt(self._prompts, self._dataset, self._task, self._history)

    def say(self, message: str) -> str | None:
        """Take the agent's message, and run it unless it ends the dialogue.

        Returns:
            What the agent is told, None if the dialogue is over.
        """
        self._counted(message, "completed")
        if self.ended_by is not None:
            return None
        execution = execute_multi_step(self.world, message)
        self._history += f"execution result:{execution.observation}\n"
        self._executed(message, execution)
        return str(execution.observation)


class MultiTurnDialogue(Dialogue):
    """A simulated user, the agent and the executor; the agent sees all of it."""

    def __init__(self, dataset: Dataset, task: Task) -> None:
        """Start with the user's turn, whose first message does not count.

        Args:
            dataset: The benchmark in the task's language.
            task: A multi_turn task.
        """
        super().__init__(dataset, task)
        self._dataset = dataset
        self._task = task
        self.turn = "user"
        self._history = ""
        self._user_history = user_prompt(dataset, task)
        self._opened = False

    def agent_prompt(self) -> list[ChatMessage]:
        """Return what the agent is shown."""
        return multi_turn_prompt(self._dataset, self._task, self._history)

    def user_prompt(self) -> list[ChatMessage]:
        """Return what the simulated user is shown, which is nothing of the calls."""
        return list(self._user_history)

    def say(self, message: str) -> str | None:
        """Take the message of whose turn it is, and run it if it is for that.

        Returns:
            What the agent is told of the execution, None if nothing ran.
        """
        if self.turn == "user":
            self._user_says(message)
            return None
        return self._agent_says(message)

    def _user_says(self, message: str) -> None:
        # Upstream gives the user's own replies the role "system".
        self._user_history.append(ChatMessage("system", message))
        self._history += f"user:{message}\n"
        self.turn = "agent"
        if self._opened:
            self._counted(message, "user_stop")
        self._opened = True

    def _agent_says(self, message: str) -> str | None:
        self._history += f"agent:{message}\n"
        for_execution = is_for_execution(message)
        if not for_execution:
            self._user_history.append(ChatMessage("user", _without_sender(message)))
            self.turn = "user"
        self._counted(message, "completed")
        if not for_execution or self.ended_by is not None:
            return None
        execution = execute_multi_turn(self.world, message)
        self._history += f"execution:{execution.observation}\n"
        self._executed(message, execution)
        return str(execution.observation)


def _without_sender(message: str) -> str:
    for sender in ("user:", "agent:"):
        if message.startswith(sender):
            return message.removeprefix(sender)
    return message
