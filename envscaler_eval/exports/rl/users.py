"""The user's side of a conversation outside of Inspect: scripted, or a model."""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, Protocol, TypeVar

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)

from envscaler_eval.exports.rl.settings import SCRIPTED_USER, RlSettings
from envscaler_eval.policies import STOP, View, scripted_user
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.prompts import GREETING, user_prompt
from envscaler_eval.solvers.simulated_user import UserFault, usable_reply
from envscaler_eval.solvers.user_strategies import UserStrategy, read_reply

T = TypeVar("T")


class User(Protocol):
    """Somebody who wants something. It sees the conversation and never the state."""

    def reply(self, said: str) -> str | None:
        """Return the answer to what the assistant said, or `None` to stop.

        Raises:
            UserFault: Nothing usable came.
        """
        ...


class ScriptedUser:
    """The user that cuts the scenario's task into pieces; needs no model."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare to talk."""
        self._policy = scripted_user(scenario)
        self._heard: list[str] = []

    def reply(self, said: str) -> str | None:
        """Return the answer, or `None` to stop."""
        self._heard.append(said)
        text = self._policy(View(len(self._heard) - 1, self._heard)).text
        return None if STOP in text else text


class ModelUser:
    """A user played by a model."""

    def __init__(self, scenario: Scenario, model: Model, strategy: UserStrategy) -> None:
        """Prepare to talk.

        Args:
            scenario: What it wants.
            model: Who plays it.
            strategy: How it makes its messages.
        """
        self._model = model
        self._strategy: UserStrategy = strategy
        # In this view the user's own words are the assistant's.
        self._messages: list[ChatMessage] = [
            ChatMessageSystem(content=user_prompt(scenario, strategy))
        ]

    def reply(self, said: str) -> str | None:
        """Return the answer, or `None` to stop.

        Raises:
            UserFault: Nothing usable came.
        """
        self._messages.append(ChatMessageUser(content=said))
        output = _in_loop(usable_reply(self._model, self._messages, self._usable))
        self._messages.append(output.message)
        reply = read_reply(self._strategy, output.completion)
        assert reply is not None
        return None if STOP in reply.said else reply.said

    def _usable(self, output: ModelOutput) -> bool:
        return read_reply(self._strategy, output.completion) is not None


def make_user(scenario: Scenario, settings: RlSettings) -> User:
    """Return a user for a scenario, as the settings have it."""
    if settings.user == SCRIPTED_USER:
        return ScriptedUser(scenario)
    # Memoised by Inspect: one model, and one bound on its connections, for all episodes.
    config = GenerateConfig(seed=settings.seed, temperature=settings.rules.user_temperature)
    model = get_model(settings.user, config=config, **settings.user_args)
    return ModelUser(scenario, model, settings.rules.user_strategy)


def opening(user: User) -> str:
    """Return what a user says first.

    Raises:
        UserFault: Nothing usable came.
    """
    said = user.reply(GREETING)
    if said is None:
        raise UserFault("the user stopped before saying anything")
    return said


def _in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from wherever, in the loop that all users' models share."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="envscaler-users", daemon=True).start()
    return loop
