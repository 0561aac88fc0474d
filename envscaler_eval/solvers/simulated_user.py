"""Users played by a model of their own, and that of the conversational mode."""

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
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


def user_model(sample: str, config: GenerateConfig | None = None) -> Model:
    """Return the model bound to the role `user`, never silently the one under test.

    Args:
        sample: Who needs it, for the message.
        config: What holds where the role's own settings say nothing.

    Raises:
        UsageError: No model is bound to the role.
    """
    if "user" not in model_roles():
        raise UsageError(
            f"{sample}: the conversation needs a model for the user; add "
            "--model-role user=MODEL (policy/user works offline)"
        )
    return get_model(role="user", required=True, config=config)


async def usable_reply(model: Model, messages: list[ChatMessage]) -> ModelOutput:
    """Return what the user says that is not empty.

    Raises:
        UserFault: Nothing usable came.
    """
    for _ in range(_TRIES):
        output = await model.generate(messages)
        if output.completion.strip():
            return output
    raise UserFault(f"the user gave {_TRIES} empty replies")


class SimulatedUser:
    """Talks as the scenario's user. It sees the conversation and never the state."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare to talk, as the model bound to the role `user`.

        Raises:
            UsageError: No model is bound to it.
        """
        self._model = user_model(scenario.name)
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
        output = await usable_reply(self._model, self._messages)
        self._messages.append(output.message)
        text = output.completion.strip()
        return None if STOP in text else text
