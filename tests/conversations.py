"""Letting an assistant and a user talk without a harness."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from envscaler_eval.episode import Episode
from envscaler_eval.policies import STOP, Policy, View

GREETING = "Hi! How can I help you today?"


@dataclass
class Conversation:
    """What was said.

    Attributes:
        user: The user's messages, without the stop word.
        assistant: The assistant's messages.
        stopped: Whether the user ended it.
    """

    user: list[str] = field(default_factory=list)
    assistant: list[str] = field(default_factory=list)
    stopped: bool = False


def converse(assistant: Policy, user: Policy, episode: Episode, steps: int = 60) -> Conversation:
    """Let the user open and both take turns until the user stops or steps run out."""
    talk = Conversation()
    observations: list[str] = []
    heard: Sequence[str] = [GREETING]
    step = 0
    while True:
        said = user(View(len(talk.user), heard, ())).text
        if STOP in said:
            talk.stopped = True
            return talk
        talk.user.append(said)
        while True:
            if step == steps:
                return talk
            turn = assistant(View(step, talk.user, observations))
            step += 1
            observations += [episode.call(call.name, call.arguments) for call in turn.calls]
            if not turn.calls:
                talk.assistant.append(turn.text)
                break
        heard = [GREETING, *talk.assistant]
