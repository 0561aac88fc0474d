"""A policy that gets some of its calls wrong: skill that can be dialled."""

import random
import re
from typing import Any

from envscaler_eval.policies.policy import Policy, Turn, View
from envscaler_eval.scenario import ToolCall

_LAST_DIGIT = re.compile(r"\d(?=\D*$)")


def erring(policy: Policy, error_rate: float, seed: int | str) -> Policy:
    """Return a policy that makes another's calls, some with a wrong argument.

    Of the calls that have arguments a share goes wrong: one value of such a call
    is changed, to a neighbouring number or identifier. Which calls, and how,
    depends on the seed and on the place of the call alone, and a call that goes
    wrong at some rate goes wrong in the same way at every higher one.

    Args:
        policy: The policy that knows what to do.
        error_rate: The probability that a call goes wrong, from 0 to 1.
        seed: Fixes which calls go wrong.
    """

    def next_turn(view: View) -> Turn:
        turn = policy(view)
        calls = (
            _mistaken(call, error_rate, random.Random(f"{seed}/{view.step}/{place}"))
            for place, call in enumerate(turn.calls)
        )
        return Turn(turn.text, tuple(calls))

    return next_turn


def _mistaken(call: ToolCall, error_rate: float, chance: random.Random) -> ToolCall:
    if chance.random() >= error_rate or not call.arguments:
        return call
    name = chance.choice(sorted(call.arguments))
    wrong = {**call.arguments, name: _changed(call.arguments[name], chance)}
    return ToolCall(name=call.name, arguments=wrong)


def _changed(value: Any, chance: random.Random) -> Any:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return _changed_text(value)
        case [*items] if items:
            return items[:-1] if len(items) > 1 else [_changed(items[0], chance)]
        case {**entries} if entries:
            key = chance.choice(sorted(map(str, entries)))
            return {**entries, key: _changed(entries[key], chance)}
        case _:
            # Nothing to change: null, or an empty list or mapping.
            return "something"


def _changed_text(text: str) -> str:
    """Move an identifier, a date or an amount on by one, or cut another text short."""
    if _LAST_DIGIT.search(text):
        return _LAST_DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), text)
    return text[:-1] or "something"
