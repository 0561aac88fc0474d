"""Which scenario a conversation is about, told from its texts."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from envscaler_eval.pack import Pack
from envscaler_eval.policies import pieces
from envscaler_eval.scenario import Scenario
from envscaler_eval.serving.conversation import BadRequest, Conversation

_SHOWN = 5
_WORD = re.compile(r"[\w\-]{3,}")


class Unrecognised(BadRequest):
    """A conversation fits none of the scenarios, or several."""


@dataclass(frozen=True)
class Recognised:
    """The scenario of a conversation.

    Attributes:
        scenario: The scenario.
        whole: Whether the request was told whole, so that there is nothing to
            ask for.
    """

    scenario: Scenario
    whole: bool


@dataclass(frozen=True)
class _Entry:
    scenario: Scenario
    introduction: str
    task: str
    told: tuple[str, ...]


class ScenarioIndex:
    """The scenarios of some packs, to be found by what a prompt says.

    The request's own words decide: whole, or a piece of it. Where they fit
    several scenarios, the environment's introduction and the scenario's moment
    tell them apart, and at last the words that a user has in common with a
    request.
    """

    def __init__(self, packs: Iterable[Pack]) -> None:
        """Index all scenarios of these packs."""
        self._entries = [
            _Entry(
                scenario,
                _plain(pack.info.introduction),
                _plain(scenario.task),
                tuple(map(_plain, pieces(scenario))),
            )
            for pack in packs
            for scenario in pack.scenarios
        ]

    def find(self, conversation: Conversation) -> Recognised:
        """Return the scenario that a conversation is about.

        Raises:
            Unrecognised: None fits, or several do.
        """
        prompt = _plain(conversation.prompt)
        heard = [_plain(said) for said in conversation.now.heard]
        whole = _longest(
            [e for e in self._entries if e.task in prompt or any(e.task in said for said in heard)]
        )
        if whole:
            return Recognised(_only(_by_prompt(whole, prompt)), whole=True)
        for said in heard:
            told = [e for e in self._entries if any(piece in said for piece in e.told)]
            if told:
                return Recognised(_only(_by_prompt(told, prompt)), whole=False)
        here = [e for e in self._entries if e.introduction in prompt]
        if not here:
            raise Unrecognised(
                "no scenario is recognised: the prompt holds neither a request nor the "
                "introduction of an environment that is served; name its pack with --env"
            )
        return Recognised(_only(_closest(_by_prompt(here, prompt), heard)), whole=False)


def _by_prompt(entries: Sequence[_Entry], prompt: str) -> Sequence[_Entry]:
    """Narrow entries down by what a prompt says of environment and moment, if it does."""
    entries = _narrowed(entries, lambda entry: entry.introduction in prompt)
    return _narrowed(entries, lambda entry: entry.scenario.now in prompt)


def _narrowed(entries: Sequence[_Entry], fits: Callable[[_Entry], bool]) -> Sequence[_Entry]:
    return [entry for entry in entries if fits(entry)] or entries


def _longest(entries: Sequence[_Entry]) -> Sequence[_Entry]:
    """Leave out the entries whose request is but a part of another one's."""
    return [e for e in entries if not any(e.task != o.task and e.task in o.task for o in entries)]


def _closest(entries: Sequence[_Entry], heard: Sequence[str]) -> Sequence[_Entry]:
    """Return the entries whose request shares most words with what was heard."""
    said = set(_WORD.findall(" ".join(heard).lower()))
    shared = [len(said & set(_WORD.findall(entry.task.lower()))) for entry in entries]
    best = max(shared)
    return [entry for entry, count in zip(entries, shared, strict=True) if count == best]


def _only(entries: Sequence[_Entry]) -> Scenario:
    if len(entries) == 1:
        return entries[0].scenario
    names = [entry.scenario.name for entry in entries]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    raise Unrecognised(
        f"the prompt fits {len(names)} scenarios: {', '.join(names[:_SHOWN])}{more}; "
        "serve only the pack in question with --env, and tell their requests apart"
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
