"""A model behind a gate: it tells what it reads and does, and a person may play in its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from envscaler_eval.playground.gate import Gate, PersonsTurn, Role
from envscaler_eval.playground.worker import Report
from envscaler_eval.solvers.blocking import run_world
from envscaler_eval.solvers.start import live_episode

_PERSON = "a person"


@dataclass(frozen=True)
class Place:
    """Where a gated model stands.

    Attributes:
        role: Whom it plays.
        behind: The model that it stands before.
        gate: Says when a turn is made, and by whom.
        report: Is told what was read and done.
    """

    role: Role
    behind: Model
    gate: Gate
    report: Report


class GatedModel(ModelAPI):
    """What plays a role in an episode that is watched.

    Attributes:
        place: Where it stands. Given after it was made: a provider's arguments go into the
            log, and a gate cannot.
    """

    place: Place

    def __init__(self, model_name: str) -> None:
        """Stand nowhere yet.

        Args:
            model_name: The model that it will stand before.
        """
        super().__init__(model_name)
        self._read = 0

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the next turn, of the model or of a person."""
        role, behind = self.place.role, self.place.behind
        if role == "agent":
            await self._report_what_is_new(input)
        turn = await self.place.gate.turn(role)
        if turn is None:
            output = await self._answer(input, tools, tool_choice, config)
        else:
            output = _output(turn, len(input))
        self.place.report(
            {
                "event": "turn",
                "role": role,
                "by": str(behind) if turn is None else _PERSON,
                "text": output.message.text,
                "calls": [
                    {"name": call.function, "arguments": call.arguments}
                    for call in output.message.tool_calls or ()
                ],
            }
        )
        return output

    async def _answer(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the turn of the model behind.

        Raises:
            ConnectionError: It does not answer, however often it is asked.
        """
        behind = self.place.behind
        try:
            return await behind.generate(input, tools, tool_choice, config)
        except Exception as fault:
            # What ends retries says nothing itself of why.
            last = getattr(fault, "last_attempt", None)
            if last is None:
                raise
            raise ConnectionError(f"{behind} does not answer: {last.exception()}") from fault

    async def _report_what_is_new(self, messages: Sequence[ChatMessage]) -> None:
        """Tell the messages that came since the last turn, and the state as it stands now."""
        new = [message for message in messages[self._read :] if message.role != "assistant"]
        self._read = len(messages)
        live = live_episode()
        state = await run_world(live.episode, live.episode.state) if live else {}
        statuses = [call.status for call in live.episode.calls] if live else []
        self.place.report(
            {
                "event": "read",
                "messages": [_plain(message) for message in new],
                "statuses": statuses,
                "state": state,
            }
        )


@modelapi("watched")
def _provider() -> type[ModelAPI]:
    return GatedModel


def gated_model(place: Place) -> Model:
    """Return a model for Inspect that stands in a place."""
    # Made through the registry's wrapper, so that logs can name it.
    api: Any = _provider
    made = api(str(place.behind))
    made.place = place
    return Model(made, GenerateConfig())


def _plain(message: ChatMessage) -> Mapping[str, Any]:
    tool = message.function if isinstance(message, ChatMessageTool) else None
    failed = isinstance(message, ChatMessageTool) and message.error
    return {
        "role": message.role,
        "text": message.text or (failed.message if failed else ""),
        "tool": tool,
        "heard": isinstance(message, ChatMessageUser),
    }


def _output(turn: PersonsTurn, number: int) -> ModelOutput:
    calls = None
    if turn.call:
        name, arguments = turn.call
        calls = [ToolCall(id=f"person_{number}", function=name, arguments=arguments)]
    message = ChatMessageAssistant(
        content=turn.text, tool_calls=calls, model=_PERSON, source="generate"
    )
    return ModelOutput(
        model=_PERSON,
        choices=[
            ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
        ],
        usage=ModelUsage(),
    )
