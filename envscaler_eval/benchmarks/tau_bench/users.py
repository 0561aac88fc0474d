"""The simulated users, without the model that speaks for them.

A turn of a user is a generator. It yields what is to be completed, a list of
messages, is sent the completion's text, and returns what the user says:

    turn = user.open()
    try:
        messages = next(turn)
        while True:
            messages = turn.send(await complete(messages))
    except StopIteration as done:
        said = done.value

In these messages the agent's turns have the role `user`, and the simulated
user's own turns the role `assistant`.

Source: `tau_bench/envs/user.py`; for `react_fixed`, EnvScaler's
`interact_with_env/taubench_env/envs/user.py`.
"""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from envscaler_eval.benchmarks.tau_bench.protocol import STOP_TOKEN

Message = dict[str, str]
Turn = Generator[list[Message], str, str]
Prompts = Mapping[str, str]


class UserFault(Exception):
    """The user's model answered in a form that its strategy cannot read.

    Upstream's harness does not survive it: the trial scores 0.
    """


class User(Protocol):
    """Someone who wants something from an agent."""

    def open(self) -> Turn:
        """Begin a conversation; the first message is never tested for the stop token."""
        ...

    def reply(self, content: str) -> Turn:
        """Answer a message of the agent."""
        ...


class LlmUser:
    """Says what the model says (`llm`, upstream's default).

    Args:
        instruction: The task's instruction.
        prompts: The prompts of the domain.
    """

    prompt = "user_LLMUserSimulationEnv"

    def __init__(self, instruction: str, prompts: Prompts) -> None:
        self._instruction = instruction
        self._prompts = prompts
        self._messages: list[Message] = []

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation so far, as the user's model sees it."""
        return tuple(self._messages)

    def open(self) -> Turn:
        """Begin a conversation, after a greeting that the agent never sees."""
        system = _filled(
            self._prompts[self.prompt],
            instruction_display=f"\n\nInstruction: {self._instruction}\n",
        )
        greeting = self._prompts["user_first_message_seen_by_simulator"]
        self._messages = [_message("system", system), _message("user", greeting)]
        return self._next()

    def reply(self, content: str) -> Turn:
        """Answer a message of the agent."""
        self._messages.append(_message("user", content))
        return self._next()

    def _next(self) -> Turn:
        text = yield list(self._messages)
        self._messages.append(_message("assistant", text))
        return text


class ReactUser(LlmUser):
    """Thinks before it speaks (`react`), with upstream's parser.

    The thought leaks: what follows the label `Thought:` goes to the agent,
    including the label `User Response:`.
    """

    prompt = "user_ReactUserSimulationEnv"

    def _next(self) -> Turn:
        text = yield from super()._next()
        if STOP_TOKEN in text:
            return STOP_TOKEN
        for label in ("Thought:", "User Response:"):
            if label in text:
                return _after_only(label, text)
        raise UserFault(f"the user's message has neither thought nor response: {text:.200}")


class FixedReactUser(ReactUser):
    """Thinks before it speaks (`react_fixed`), as EnvScaler repaired it.

    Only what follows `User Response:` goes to the agent, or else all but the
    thought's label. What a reasoning model thinks is cut off first.
    """

    def _next(self) -> Turn:
        text = yield list(self._messages)
        if "</think>" in text:
            text = text.split("</think>")[1].strip()
        self._messages.append(_message("assistant", text))
        if STOP_TOKEN in text:
            return STOP_TOKEN
        for label in ("Thought:", "User Response:"):
            if label in text:
                text = _after_only(label, text)
        return text.strip()


class VerifyUser(LlmUser):
    """Says the first of three answers that the same model approves of (`verify`).

    If it approves of none, the last is said, but not kept in the conversation.
    """

    attempts = 3

    def _next(self) -> Turn:
        text = ""
        for _ in range(self.attempts):
            text = yield list(self._messages)
            # Upstream formats the client library's message object, not its text.
            shown = (
                f"Message(content={text!r}, role='assistant', tool_calls=None, function_call=None)"
            )
            if (yield from _approved(self._prompts, self._messages, shown)):
                self._messages.append(_message("assistant", text))
                break
        return text


class ReflectionUser(LlmUser):
    """Tries once more, after a reflection, what the same model disapproves of (`reflection`).

    If it disapproves of the second answer too, the first is said. Both are kept
    in the conversation, the reflection is not.
    """

    def _next(self) -> Turn:
        seen = list(self._messages)
        first = yield from super()._next()
        if (yield from _approved(self._prompts, seen, first)):
            return first
        reflection = yield _request(self._prompts["reflect"], seen, first)
        seen.append(_message("user", _after_only("Response:", reflection)))
        second = yield list(seen)
        self._messages.append(_message("assistant", second))
        return second if (yield from _approved(self._prompts, seen, second)) else first


class ScriptedUser:
    """Says given lines, then stops; no model speaks for it (`scripted`).

    Args:
        lines: What it says, one line for each message of the agent, the first
            of them unasked.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(tuple(lines))

    def open(self) -> Turn:
        """Say the first line."""
        return self._next()

    def reply(self, content: str) -> Turn:
        """Say the next line, whatever the agent said."""
        return self._next()

    def _next(self) -> Turn:
        yield from ()
        return next(self._lines, STOP_TOKEN)


def _scripted(instruction: str, prompts: Prompts) -> User:
    return ScriptedUser([instruction])


STRATEGIES: Mapping[str, Callable[[str, Prompts], User]] = MappingProxyType(
    {
        "llm": LlmUser,
        "react": ReactUser,
        "react_fixed": FixedReactUser,
        "verify": VerifyUser,
        "reflection": ReflectionUser,
        "scripted": _scripted,
    }
)
"""Strategy -> what makes a user of an instruction and the domain's prompts."""


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _filled(template: str, **values: str) -> str:
    """Put values in the places of `{name}`, once, so that braces in values stay."""
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), template)


def _after_only(label: str, text: str) -> str:
    """Return what follows a label that must not occur twice."""
    parts = text.split(label)
    if len(parts) != 2:
        raise UserFault(f"expected {label!r} once, found it {len(parts) - 1} times: {text:.200}")
    return parts[1].strip()


def _approved(
    prompts: Prompts, messages: Sequence[Message], response: str
) -> Generator[list[Message], str, bool]:
    """Ask the model whether a response is satisfactory."""
    verdict = yield _request(prompts["verify"], messages, response)
    return "true" in verdict.lower()


def _request(template: str, messages: Sequence[Message], response: str) -> list[Message]:
    # The labels are swapped upstream: the role `user` is the agent's here.
    labels = {"user": "Customer", "assistant": "Agent"}
    transcript = "\n".join(
        f"{labels.get(message['role'], message['role'].capitalize())}: {message['content']}"
        for message in messages
    )
    return [_message("user", _filled(template, transcript=transcript, response=response))]
