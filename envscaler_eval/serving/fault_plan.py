"""Which faults happen where: fixed by a seed and the conversation, not by arrival."""

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from envscaler_eval.errors import UsageError
from envscaler_eval.serving.faults import (
    CONTENT_FAULTS,
    FAULTS,
    TRANSPORT_FAULTS,
    ContentFault,
    FaultKind,
    Occasion,
    TransportFault,
    applies,
)

Kind = TypeVar("Kind", ContentFault, TransportFault)


@dataclass(frozen=True)
class FaultPlan:
    """When a served model misbehaves.

    Attributes:
        rates: The probability of each kind in a reply; `None` for once in each
            conversation, at the first reply that can have it.
        seed: Fixes the draws, together with the conversation.
    """

    rates: Mapping[FaultKind, float | None] = field(default_factory=dict)
    seed: int = 0

    @classmethod
    def parse(cls, specifications: Iterable[str], seed: int = 0) -> "FaultPlan":
        """Read faults as people type them: `KIND` or `KIND=RATE`.

        Raises:
            UsageError: A kind is unknown, or rates are no probabilities.
        """
        rates: dict[FaultKind, float | None] = {}
        for specification in specifications:
            kind, given, rate = specification.partition("=")
            if kind not in FAULTS:
                raise UsageError(f"--fault {kind} is unknown; use one of {', '.join(FAULTS)}")
            rates[kind] = _probability(specification, rate) if given else None
        for kinds in (CONTENT_FAULTS, TRANSPORT_FAULTS):
            total = sum(rates.get(kind) or 0.0 for kind in kinds)
            if total > 1 + 1e-9:
                raise UsageError(
                    f"the rates of {', '.join(k for k in kinds if rates.get(k))} add up to "
                    f"{total:g}; a reply has one of them at most, so keep the sum within 1"
                )
        return cls(rates, seed)

    @property
    def spoils_replies(self) -> bool:
        """Whether any reply can be other than the policy's."""
        return any(kind in self.rates for kind in CONTENT_FAULTS)

    @property
    def loses_replies(self) -> bool:
        """Whether any reply can fail to arrive."""
        return any(kind in self.rates for kind in TRANSPORT_FAULTS)

    def of_reply(
        self, conversation: str, occasion: Occasion, done: Collection[ContentFault]
    ) -> ContentFault | None:
        """Return what is wrong with the reply to a conversation, if anything.

        Args:
            conversation: Digest of the conversation up to the reply.
            occasion: The turn that is to be taken.
            done: What has gone wrong in the conversation before.
        """
        possible: list[ContentFault] = [kind for kind in CONTENT_FAULTS if applies(kind, occasion)]
        for kind in self._once(possible):
            if kind not in done:
                return kind
        return self._drawn(possible, f"{self.seed}/reply/{conversation}")

    def of_transport(self, conversation: str, attempt: int, opening: bool) -> TransportFault | None:
        """Return what keeps a reply from arriving, if anything.

        Args:
            conversation: Digest of the conversation up to the reply.
            attempt: How often the same request was made before.
            opening: Whether the reply is the first of its conversation.
        """
        once = self._once(TRANSPORT_FAULTS) if opening else []
        # Each kind in turn, and then the reply; when asked yet again, anew.
        position = attempt % (len(once) + 1)
        if position < len(once):
            return once[position]
        return self._drawn(TRANSPORT_FAULTS, f"{self.seed}/transport/{conversation}/{attempt}")

    def _once(self, kinds: Iterable[Kind]) -> list[Kind]:
        return [kind for kind in kinds if kind in self.rates and self.rates[kind] is None]

    def _drawn(self, kinds: Iterable[Kind], key: str) -> Kind | None:
        """Draw one kind by the rates; each keeps its own, whichever others are possible."""
        chance = random.Random(key).random()
        for kind in kinds:
            chance -= self.rates.get(kind) or 0.0
            if chance < 0:
                return kind
        return None


def _probability(specification: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise UsageError(f"--fault {specification}: give a rate from 0 to 1, such as 0.05")
    return rate
