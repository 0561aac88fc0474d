"""The agent of the official protocol, which writes its calls as text."""

from collections.abc import Iterable

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    get_model,
)
from inspect_ai.solver import TaskState

from envscaler_eval.benchmarks.acebench import prompts
from envscaler_eval.benchmarks.acebench.dialogues import OfficialDialogue, Said
from envscaler_eval.solvers.acebench.start import LiveDialogue
from envscaler_eval.solvers.ending import EpisodeEnded

_ROLES: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


class OfficialAgent:
    """The model under test. Each prompt tells it the whole dialogue in one message.

    The sample's messages are the dialogue, for people; the model's events have the
    prompts.
    """

    def __init__(self, state: TaskState, live: LiveDialogue, dialogue: OfficialDialogue) -> None:
        """Prepare to act; the sample's messages start over."""
        self._state = state
        self._live = live
        self._dialogue = dialogue
        self._model = get_model()
        system, _ = dialogue.agent_prompt()
        state.messages = [ChatMessageSystem(content=system.content), *state.messages]

    async def act(self) -> None:
        """Take one turn.

        Raises:
            EpisodeEnded: The prompt is too long for the model.
        """
        output = await self._model.generate(as_chat(self._dialogue.agent_prompt()))
        self._state.output = output
        self._state.messages.append(output.message)
        if output.stop_reason == "model_length":
            raise EpisodeEnded("context_length")
        executed = self._live.tell(Said(by="agent", text=output.completion))
        if executed is not None:
            self.hear(executed)

    def hear(self, said: str) -> None:
        """Take in what the user says, or what came of calls."""
        self._state.messages.append(ChatMessageUser(content=said))


def as_chat(messages: Iterable[prompts.ChatMessage]) -> list[ChatMessage]:
    """Return messages of the benchmark as Inspect has them."""
    return [_ROLES[message.role](content=message.content) for message in messages]
