"""The user of the conversational mode, played by a model of its own."""

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    get_model,
    model_roles,
)

from envscaler_eval.errors import UsageError
from envscaler_eval.policies import STOP
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.prompts import GREETING, user_prompt

_TRIES = 3


class UserFault(Exception):
    """The simulated user failed to say anything usable."""


class SimulatedUser:
    """Talks as the scenario's user. It sees the conversation and never the state."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare to talk, as the model bound to the role `user`.

        Raises:
            UsageError: No model is bound to it.
        """
        if "user" not in model_roles():
            raise UsageError(
                f"{scenario.name}: the conversational mode needs a model for the user; add "
                "--model-role user=MODEL (policy/user works offline)"
            )
        self._model: Model = get_model(role="user", required=True)
        # In this view the user's own words are the assistant's.
        self._messages: list[ChatMessage] = [ChatMessageSystem(content=user_prompt(scenario))]

    async def open(self) -> str:
        """Return what the user says first.

        Raises:
            UserFault: Nothing usable came.
        """
        opening = await self.reply(GREETING)
        if opening is None:
            raise UserFault("the user stopped before saying anything")
        return opening

    async def reply(self, said: str) -> str | None:
        """Return the answer to what the assistant said, or `None` to stop.

        Raises:
            UserFault: Nothing usable came.
        """
        self._messages.append(ChatMessageUser(content=said))
        for _ in range(_TRIES):
            output = await self._model.generate(self._messages)
            text = output.completion.strip()
            if text:
                self._messages.append(output.message)
                return None if STOP in text else text
        raise UserFault(f"the user gave {_TRIES} empty replies")
