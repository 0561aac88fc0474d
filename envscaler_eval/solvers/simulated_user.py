"""Users played by a model of their own, and that of the conversational mode."""

from collections.abc import Callable

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
    model_roles,
)
from inspect_ai.util import span

from envscaler_eval.errors import UsageError
from envscaler_eval.policies import STOP
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.prompts import GREETING, user_prompt
from envscaler_eval.solvers.record import UserFaultEntry, UserRecord, UserTurn
from envscaler_eval.solvers.user_faults import (
    THANKS_THAT_END,
    FoundFault,
    Said,
    UserFaultKind,
    message_faults,
    stop_faults,
    thanks_in_a_row,
)
from envscaler_eval.solvers.user_strategies import Reply, UserStrategy, read_reply

OFFLINE_USER = "policy/user"
_TRIES = 3
_CUT = frozenset({"max_tokens", "model_length", "content_filter"})


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


def _is_text(output: ModelOutput) -> bool:
    return bool(output.completion.strip())


async def usable_reply(
    model: Model,
    messages: list[ChatMessage],
    usable: Callable[[ModelOutput], bool] = _is_text,
) -> ModelOutput:
    """Return a reply of the user's model that can be used, asking up to three times.

    Args:
        model: The user's model.
        messages: What it has seen.
        usable: Tells usable replies; by default those that are not empty.

    Raises:
        UserFault: Nothing usable came.
    """
    for _ in range(_TRIES):
        output = await model.generate(messages)
        if usable(output):
            return output
    raise UserFault(f"none of the user's {_TRIES} replies was usable")


class SimulatedUser:
    """Talks as the scenario's user. It sees the conversation and never the state.

    Attributes:
        record: What it has said and thought, and its faults so far.
    """

    def __init__(
        self,
        scenario: Scenario,
        strategy: UserStrategy = "llm",
        temperature: float | None = None,
    ) -> None:
        """Prepare to talk, as the model bound to the role `user`.

        Args:
            scenario: What it wants.
            strategy: How it makes its messages. `policy/user` has its own way.
            temperature: Its model's temperature where the role has none of its own.

        Raises:
            UsageError: No model is bound to the role.
        """
        self._model = user_model(scenario.name, GenerateConfig(temperature=temperature))
        self._scenario = scenario
        scripted = str(self._model) == OFFLINE_USER
        self._strategy: UserStrategy = "llm" if scripted else strategy
        self.record = UserRecord(
            model=str(self._model),
            strategy="scripted" if scripted else strategy,
            temperature=self._model.config.temperature,
        )
        # In this view the user's own words are the assistant's.
        self._messages: list[ChatMessage] = [
            ChatMessageSystem(content=user_prompt(scenario, self._strategy))
        ]
        self._talk: list[Said] = []

    async def open(self) -> str:
        """Return what the user says first.

        Raises:
            UserFault: Nothing usable came.
        """
        said = await self._speak(GREETING, 0)
        if said is None:
            raise UserFault("the user stopped before saying anything")
        return said

    async def reply(self, said: str, calls: int) -> str | None:
        """Return the answer to what the assistant said, or `None` to stop.

        Args:
            said: What the assistant said.
            calls: How many tool calls it has made.

        Raises:
            UserFault: Nothing usable came, or nothing but thanks again and again.
        """
        self._talk.append(Said("assistant", said, calls))
        return await self._speak(said, calls)

    async def _speak(self, heard: str, calls: int) -> str | None:
        self._messages.append(ChatMessageUser(content=heard))
        async with span("user", type="agent"):
            output = await usable_reply(self._model, self._messages, self._usable)
        self._messages.append(output.message)
        reply = self._read(output)
        assert reply is not None
        thought = "\n".join(filter(None, (_reasoning(output), reply.thought)))
        self.record.turns.append(UserTurn(said=reply.said, thought=thought))
        turn = len(self.record.turns)
        if STOP in reply.said:
            self._note(*stop_faults(self._scenario, self._talk), turn=turn)
            return None
        self._talk.append(Said("user", reply.said, calls))
        self._note(*message_faults(self._scenario, self._talk), turn=turn)
        if thanks_in_a_row(self._talk) == THANKS_THAT_END:
            raise UserFault("the user says thanks without end")
        return reply.said

    def _usable(self, output: ModelOutput) -> bool:
        """Whether a reply can be passed on. One that cannot is noted as a fault."""
        if self._read(output) is not None:
            return True
        kind: UserFaultKind = "malformed" if _is_text(output) else "empty"
        detail = f"{output.stop_reason}: {output.completion.strip():.200}"
        self._note(FoundFault(kind, detail), turn=len(self.record.turns) + 1)
        return False

    def _read(self, output: ModelOutput) -> Reply | None:
        if not _is_text(output) or output.stop_reason in _CUT:
            return None
        return read_reply(self._strategy, output.completion)

    def _note(self, *faults: FoundFault, turn: int) -> None:
        self.record.faults.extend(
            UserFaultEntry(kind=fault.kind, turn=turn, detail=fault.detail) for fault in faults
        )


def _reasoning(output: ModelOutput) -> str:
    """Return what a reasoning model thought, where its server keeps that apart."""
    content = output.message.content
    parts = [] if isinstance(content, str) else content
    return "\n".join(part.reasoning for part in parts if isinstance(part, ContentReasoning))
