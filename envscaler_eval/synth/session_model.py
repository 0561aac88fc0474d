"""Recorded sessions as a model: `session/PATH`.

It goes through the code path of any other model, so that a pipeline runs offline
from the first question to the last.
"""

from functools import cached_property
from pathlib import Path

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.question import current_question
from envscaler_eval.synth.sessions import Session

_CHARACTERS_PER_TOKEN = 4


class SessionModel(ModelAPI):
    """A model that says what was recorded."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),
        **model_args: object,
    ) -> None:
        """Name the session by its path; see `ModelAPI` for the arguments."""
        super().__init__(model_name, base_url, api_key, [], config)

    @cached_property
    def session(self) -> Session:
        """The session, read when it is first asked."""
        return Session(Path(self.model_name))

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the recorded answer to the question that is being asked.

        Raises:
            MissingAnswer: There is none.
            UsageError: Nobody of the synthesis asks.
        """
        question = current_question()
        if question is None:
            raise UsageError(
                f"session/{self.model_name} answers the questions of `envscaler synth` only"
            )
        found = self.session.answer(question)
        message = ChatMessageAssistant(content=found.text, model=self.model_name, source="generate")
        choice = ChatCompletionChoice(message=message, stop_reason=found.stop_reason)
        usage = (
            ModelUsage.model_validate(found.usage) if found.usage else _counted(input, found.text)
        )
        return ModelOutput(model=self.model_name, choices=[choice], usage=usage)

    def max_connections(self) -> int:
        """Let all questions through: answers take no time."""
        return 1000


def _counted(messages: list[ChatMessage], text: str) -> ModelUsage:
    read = sum(len(message.text) for message in messages) // _CHARACTERS_PER_TOKEN
    written = len(text) // _CHARACTERS_PER_TOKEN
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
