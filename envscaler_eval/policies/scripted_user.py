"""A simulated user without a model, for runs offline."""

import re

from envscaler_eval.policies.policy import Policy, Turn, View
from envscaler_eval.scenario import Scenario

STOP = "###STOP###"
"""What a simulated user says when it is satisfied (EnvScaler, `user_agent.py`)."""

_NOTHING_TO_ADD = "I have nothing to add; please do what I asked."
_PIECES = 4
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def scripted_user(scenario: Scenario) -> Policy:
    """Return a user that tells the task in pieces and stops when told of the end.

    It answers each message of the assistant with the next piece. When it has
    told all, it answers questions with having nothing to add, and anything
    else, which it takes for the report, with the stop word.
    """
    told = pieces(scenario)

    def next_turn(view: View) -> Turn:
        if view.step < len(told):
            return Turn(told[view.step])
        asked = bool(view.heard) and view.heard[-1].rstrip().endswith("?")
        return Turn(_NOTHING_TO_ADD if asked else STOP)

    return next_turn


def pieces(scenario: Scenario) -> tuple[str, ...]:
    """Cut a task into at most four pieces at its sentences, held-back facts last."""
    sentences = [s for s in _SENTENCE_END.split(scenario.task.strip()) if s]
    held_back = [s for s in sentences if any(fact in s for fact in scenario.user.held_back)]
    told_first = [s for s in sentences if s not in held_back]
    ordered = [*told_first, *held_back]
    size = -(-len(ordered) // _PIECES)
    return tuple(" ".join(ordered[i : i + size]) for i in range(0, len(ordered), size))
