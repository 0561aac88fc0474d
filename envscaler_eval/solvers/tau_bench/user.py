"""A simulated user of Tau-Bench with the model that speaks for it."""

from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    model_roles,
)

from envscaler_eval.benchmarks.tau_bench.users import (
    STRATEGIES,
    Message,
    Prompts,
    Turn,
    UserFault,
)
from envscaler_eval.errors import UsageError
from envscaler_eval.solvers.simulated_user import OFFLINE_USER, usable_reply, user_model
from envscaler_eval.solvers.tau_bench.protocol import Strategy


class Customer:
    """Talks with the agent. It hears what the agent says, and never sees calls or policy.

    Args:
        name: The sample, for messages to people.
        strategy: How it makes its messages.
        instruction: What it wants.
        prompts: The prompts of the domain.
        temperature: Its model's temperature where the role has none of its own.

    Raises:
        UsageError: No model is bound to the role `user`, or one that would not speak.
    """

    def __init__(
        self,
        name: str,
        strategy: Strategy,
        instruction: str,
        prompts: Prompts,
        temperature: float | None,
    ) -> None:
        self._user = STRATEGIES[strategy](instruction, prompts)
        self._seen: dict[tuple[int, str, str], ChatMessage] = {}
        self._model: Model | None = None
        if strategy != "scripted":
            self._model = user_model(name, GenerateConfig(temperature=temperature))
        elif "user" in model_roles() and str(user_model(name)) != OFFLINE_USER:
            raise UsageError(
                f"{name}: user_strategy=scripted asks no model, but the role user has "
                f"{user_model(name)}; leave the role out, or choose another strategy"
            )

    async def open(self) -> str:
        """Return the first message.

        Raises:
            UserFault: The model's answer cannot be read.
        """
        return await self._spoken(self._user.open())

    async def reply(self, said: str) -> str:
        """Return the answer to what the agent said.

        Raises:
            UserFault: The model's answer cannot be read.
        """
        return await self._spoken(self._user.reply(said))

    async def _spoken(self, turn: Turn) -> str:
        try:
            request = next(turn)
            while True:
                request = turn.send(await self._completed(request))
        except StopIteration as done:
            said: str = done.value
            return said

    async def _completed(self, request: Sequence[Message]) -> str:
        assert self._model is not None
        messages = [self._message(place, message) for place, message in enumerate(request)]
        output = await usable_reply(self._model, messages)
        if output.stop_reason == "model_length":
            raise UserFault("the conversation is too long for the user's model")
        return output.completion

    def _message(self, place: int, message: Message) -> ChatMessage:
        """Return a message in Inspect's form, the same object each time, so that logs share it."""
        key = (place, message["role"], message["content"])
        if key not in self._seen:
            self._seen[key] = _FORMS[message["role"]](content=message["content"])
        return self._seen[key]


_FORMS: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
