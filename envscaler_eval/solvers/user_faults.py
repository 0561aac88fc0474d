"""What goes wrong on the user's side of a conversation, told from its text alone.

Each rule is deliberately narrow: it misses faults that are put in other words,
so that a fault which it counts is one. docs/concepts.md has them in a table.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from envscaler_eval.policies import pieces
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.user_facts import identifiers, new_facts

UserFaultKind = Literal[
    "empty", "malformed", "premature_stop", "whole_request", "foreign_fact", "endless_thanks"
]
USER_FAULT_KINDS: tuple[UserFaultKind, ...] = get_args(UserFaultKind)

THANKS_THAT_END = 3
"""So many thanks in a row, and nothing else, end the episode."""

_SHARE_OF_WHOLE = 0.9
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_OFFER = re.compile(r"\b(anything|something|else|further|assist|help)\b", re.IGNORECASE)
_ANNOUNCEMENT = re.compile(
    r"(please wait|one moment|just a moment|hold on"
    r"|(let me|i'll|i\u2019ll|i will|i'm going to|i am going to) (now |just |first |quickly )?"
    r"(check|look|find|verify|search|pull|review|start|proceed|go ahead))\b",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\b(thanks?|thank you|cheers|bye|goodbye|take care|appreciate)\b", re.I)
_DIRECTIVE = frozenset(
    re.findall(
        r"\S+",
        """
        yes yeah yep no not please go ahead proceed confirm confirmed sure correct right agree
        agreed also but instead still
        """,
    )
)
_COURTESY = frozenset(
    re.findall(
        r"\S+",
        """
        a again all always and appreciate appreciated are awesome be best bye care cheers day
        enjoy ever everything excellent fantastic for glad good goodbye great have help helpful
        helping i i'll i'm is it it's kind kindness lovely luck many me more much my need nice
        nothing of ok okay patience perfect pleasure regards see service so soon support take
        thank thanks that that's the then this time to too very was well week weekend welcome
        will wonderful you your you're you've
        """,
    )
)


@dataclass(frozen=True)
class Said:
    """Something said in the conversation.

    Attributes:
        speaker: Who said it.
        text: What.
        calls: How many tool calls the assistant had made by then.
    """

    speaker: Literal["user", "assistant"]
    text: str
    calls: int = 0


@dataclass(frozen=True)
class FoundFault:
    """A fault of the user.

    Attributes:
        kind: Which rule it breaks.
        detail: What shows it, for people.
    """

    kind: UserFaultKind
    detail: str


def message_faults(scenario: Scenario, talk: Sequence[Said]) -> list[FoundFault]:
    """Return what is wrong with the user's last message, at most one fault of a kind.

    Args:
        scenario: What the user was told.
        talk: The conversation, with the user's message at its end.
    """
    found = []
    share = _share_of_request(scenario, talk[-1].text)
    if share >= _SHARE_OF_WHOLE:
        found.append(FoundFault("whole_request", f"{share:.0%} of the request in one message"))
    invented = new_facts(talk[-1].text, [*_told(scenario), *(said.text for said in talk[:-1])])
    if invented:
        found.append(FoundFault("foreign_fact", ", ".join(invented)))
    thanks = thanks_in_a_row(talk)
    if thanks > 1:
        found.append(FoundFault("endless_thanks", f"thanks, {thanks} in a row"))
    return found


def stop_faults(scenario: Scenario, talk: Sequence[Said]) -> list[FoundFault]:
    """Return what is wrong with stopping after a conversation, if anything.

    Args:
        scenario: What the user was told.
        talk: The conversation; the assistant spoke last, or nobody has spoken.
    """
    why = _too_early(scenario, talk)
    return [FoundFault("premature_stop", why)] if why else []


def _too_early(scenario: Scenario, talk: Sequence[Said]) -> str | None:
    """Return why the assistant cannot have reported the outcome of everything."""
    if not any(said.speaker == "user" for said in talk):
        return "nothing had been asked"
    last = _SENTENCE_END.split(talk[-1].text.strip())[-1]
    if last.endswith("?") and not _OFFER.search(last):
        return f"the assistant had asked: {last:.200}"
    if _ANNOUNCEMENT.match(last):
        return f"the assistant had announced: {last:.200}"
    mentioned = {form for said in talk for form in identifiers(said.text)}
    untold = [told for form, told in identifiers(scenario.task).items() if form not in mentioned]
    return f"nobody had mentioned {', '.join(untold)}" if untold else None


def thanks_in_a_row(talk: Sequence[Said]) -> int:
    """Return how many of the user's last messages are thanks and no more.

    Calls of the assistant in between start the count anew: then something goes on.
    """
    count = 0
    for place in range(len(talk) - 1, -1, -1):
        said = talk[place]
        if said.speaker == "assistant":
            continue
        if said.calls != talk[-1].calls or not _only_thanks(said.text, talk[:place]):
            break
        count += 1
    return count


def _only_thanks(text: str, before: Sequence[Said]) -> bool:
    """Whether a message thanks or takes leave in words that say nothing new."""
    words = set(_words(text))
    if "?" in text or not _THANKS.search(text) or words & _DIRECTIVE:
        return False
    return all(
        word in _COURTESY or any(word in _words(said.text) for said in before) for word in words
    )


def _share_of_request(scenario: Scenario, text: str) -> float:
    """Return how much of a request of several pieces a message repeats, by word triples."""
    if len(pieces(scenario)) == 1:
        return 0.0
    wanted, given = _triples(scenario.task), _triples(text)
    return len(wanted & given) / len(wanted) if wanted else 0.0


def _triples(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}


def _words(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]


def _told(scenario: Scenario) -> tuple[str, ...]:
    """Return what the user was told, and the moment at which it speaks."""
    return scenario.task, scenario.user.persona, *scenario.user.held_back, scenario.now
