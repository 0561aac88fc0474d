"""What there is to choose from: environments and scenarios, and finding one of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from envscaler_eval.difficulty import Difficulty, difficulty
from envscaler_eval.pack import Pack
from envscaler_eval.scenario import Scenario

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)


@dataclass(frozen=True)
class Listing:
    """A scenario as it can be chosen.

    Attributes:
        pack: Its pack.
        scenario: The scenario.
    """

    pack: Pack
    scenario: Scenario

    @cached_property
    def difficulty(self) -> Difficulty | None:
        """How hard it is, or `None` without a solution to tell by."""
        return difficulty(self.scenario.solution) if self.scenario.solution else None

    @cached_property
    def text(self) -> str:
        """All that a search looks into, in lower case."""
        info, scenario = self.pack.info, self.scenario
        told = (info.id, info.title, info.domain, scenario.id, scenario.task, *scenario.tags)
        return "\n".join(told).replace("_", " ").lower()


class Catalogue:
    """All scenarios of some packs."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        """List the scenarios of packs, in their order."""
        self._packs = {pack.info.id: pack for pack in packs}
        self._listings = [Listing(pack, scenario) for pack in packs for scenario in pack.scenarios]

    def __len__(self) -> int:
        """Return how many scenarios there are."""
        return len(self._listings)

    @property
    def packs(self) -> Sequence[Pack]:
        """The packs, by id."""
        return list(self._packs.values())

    @property
    def domains(self) -> list[str]:
        """The fields of life, sorted."""
        return sorted({pack.info.domain for pack in self.packs})

    def pack(self, env: str) -> Pack | None:
        """Return a pack by its id, if it is here."""
        return self._packs.get(env)

    def find(self, env: str, scenario: str) -> Listing | None:
        """Return a scenario by its environment's id and its own, if it is here."""
        for listing in self._listings:
            if (listing.pack.info.id, listing.scenario.id) == (env, scenario):
                return listing
        return None

    def search(self, words: str = "", domain: str = "", hardness: str = "") -> Iterator[Listing]:
        """Go through the scenarios that hold all words.

        Args:
            words: Parts of words, in any order and case.
            domain: Only of this field of life.
            hardness: Only of this difficulty.
        """
        wanted = words.replace("_", " ").lower().split()
        for listing in self._listings:
            if domain and listing.pack.info.domain != domain:
                continue
            if hardness and listing.difficulty != hardness:
                continue
            if all(word in listing.text for word in wanted):
                yield listing
