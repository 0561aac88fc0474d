"""The agent of the paper's protocol, which calls tools natively, one a turn."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import TaskState

from envscaler_eval.benchmarks.acebench.dialogues import Said
from envscaler_eval.benchmarks.acebench.paper import PaperDialogue
from envscaler_eval.scenario import ToolCall
from envscaler_eval.solvers.acebench.start import LiveDialogue
from envscaler_eval.solvers.ending import EpisodeEnded
from envscaler_eval.solvers.prompts import PAPER_CONDUCT
from envscaler_eval.solvers.tools import executors, tool_infos


class PaperAgent:
    """The model under test, in an ordinary chat with tools."""

    def __init__(self, state: TaskState, live: LiveDialogue, dialogue: PaperDialogue) -> None:
        """Prepare to act; the sample's messages start over."""
        self._state = state
        self._live = live
        self._model = get_model()
        self._tools = tool_infos(dialogue.world.tools)
        conduct = PAPER_CONDUCT["non_conv" if dialogue.opening else "conv"]
        prompt = f"{conduct}\n\n{dialogue.rules}" if dialogue.rules else conduct
        state.messages = [ChatMessageSystem(content=prompt), *state.messages]

    async def act(self) -> None:
        """Take one turn: make the first call of a message, or say something.

        Raises:
            EpisodeEnded: The chat is too long for the model.
        """
        output = await self._model.generate(self._state.messages, tools=self._tools)
        self._state.output = output
        message = output.message
        message.tool_calls = message.tool_calls[:1] if message.tool_calls else None
        self._state.messages.append(message)
        if output.stop_reason == "model_length":
            raise EpisodeEnded("context_length")
        if message.tool_calls:
            if message.tool_calls[0].parse_error:
                self._live.tell(Said(by="agent", text=message.text, garbled=True))
            target = _Calls(self._live, message.text)
            result = await execute_tools(
                self._state.messages, executors(target, message.tool_calls)
            )
            self._state.messages.extend(result.messages)
            return
        answer = self._live.tell(Said(by="agent", text=message.text))
        if answer is not None:
            self.hear(answer)

    def hear(self, said: str) -> None:
        """Take in what the user or the benchmark says."""
        self._state.messages.append(ChatMessageUser(content=said))


class _Calls:
    """Passes a call on to the dialogue, with the text that came with it."""

    blocking = False

    def __init__(self, live: LiveDialogue, text: str) -> None:
        self._live = live
        self._text = text

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        call = ToolCall(name=name, arguments=dict(arguments))
        return self._live.tell(Said(by="agent", text=self._text, call=call)) or ""
