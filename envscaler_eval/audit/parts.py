"""A pack's audit in parts, each of which can be done anywhere and is kept when it is done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from envscaler_eval.audit import cache
from envscaler_eval.audit.environment_assessment import assess_environment
from envscaler_eval.audit.findings import EnvironmentCard, Item, PackCard, ScenarioCard
from envscaler_eval.audit.scenario_audit import audit_scenario
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack, PackError, read_pack
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.validation import HASH_SEEDS, trace_in_process

PartKind = Literal["traces", "assessment", "scenario"]

RESULTS: Mapping[PartKind, TypeAdapter[Any]] = {
    "traces": TypeAdapter(dict[str, str]),
    "assessment": TypeAdapter(EnvironmentCard),
    "scenario": TypeAdapter(ScenarioCard),
}
"""What each kind of part results in."""


@dataclass(frozen=True)
class AuditPart:
    """A part of a pack's audit.

    Attributes:
        kind: All scenarios' traces in a process with a hash seed, the assessment of the
            environment, or the audit of one scenario.
        about: The hash seed, nothing, or the scenario's id.
        audited: The hash of the pack, by `audited_hash`.
        key: The hash of all that decides its result.
    """

    kind: PartKind
    about: str
    audited: str
    key: str


def do_part(part: AuditPart, folder: Path, isolation: IsolationPolicy) -> Any:
    """Do a part of a pack's audit.

    Args:
        part: The part.
        folder: The pack.
        isolation: Where it runs.

    Returns:
        See `RESULTS`.

    Raises:
        UsageError: The folder has another pack than the one whose part this is.
    """
    pack, runtime = _opened(folder, isolation, part.audited)
    match part.kind:
        case "traces":
            return _traces(folder, isolation, part.about)
        case "assessment":
            return _assess(pack, runtime)
        case "scenario":
            return _audit(pack.scenario(part.about), runtime)


def audited_hash(pack: Pack) -> str:
    """Return the hash of all that an audit of the pack speaks of."""
    return cache.content_hash(
        pack.hash, *(rejection.model_dump_json() for rejection in pack.rejections)
    )


class PackAudit:
    """A pack's audit: what this machine has kept of it, and what is still to be done.

    Attributes:
        pack: The pack.
        parts: What is to be done, in the order in which it is best begun.
    """

    def __init__(self, pack: Pack, names: Sequence[str] = ()) -> None:
        """Find out what is kept.

        Args:
            pack: The pack.
            names: Its scenarios that are to be audited; all when empty.

        Raises:
            PackError: There is no scenario of some name.
        """
        self.pack = pack
        self._audited = audited_hash(pack)
        self._key = cache.content_key(self._audited)
        scenarios = [pack.scenario(name) for name in names] or pack.scenarios
        self._keys = {scenario.id: _scenario_key(pack, scenario) for scenario in scenarios}
        self._environment = cache.load(self._key, EnvironmentCard)
        self._kept = {name: cache.load(key, ScenarioCard) for name, key in self._keys.items()}
        self._traces: dict[str, Mapping[str, str]] = {}
        self._waiting: list[ScenarioCard] = []
        missing = [name for name, card in self._kept.items() if card is None]
        # The traces come first, since every scenario's card waits for them.
        self.parts = [self._part("traces", seed) for seed in HASH_SEEDS if missing]
        if self._environment is None:
            self.parts.append(self._part("assessment"))
        self.parts += [self._part("scenario", name) for name in missing]

    def take(self, part: AuditPart, result: Any) -> None:
        """Take the result of a part, and keep what is complete with it."""
        match part.kind:
            case "traces":
                self._traces[part.about] = result
            case "assessment":
                self._environment = result
                cache.save(self._key, result)
            case "scenario":
                self._waiting.append(result)
        if len(self._traces) == len(HASH_SEEDS):
            while self._waiting:
                card = self._with_determinism(self._waiting.pop())
                self._kept[card.scenario] = card
                cache.save(self._keys[card.scenario], card)

    def card(self) -> PackCard:
        """Put the parts together, when all have been taken."""
        assert self._environment is not None
        return PackCard(
            env=self.pack.info.id,
            audited=self._audited,
            environment=self._environment,
            scenarios=tuple(card for card in self._kept.values() if card is not None),
        )

    def _part(self, kind: PartKind, about: str = "") -> AuditPart:
        whole = cache.content_key(self._audited, kind, about)
        key = self._keys[about] if kind == "scenario" else whole
        return AuditPart(kind, about, self._audited, key)

    def _with_determinism(self, card: ScenarioCard) -> ScenarioCard:
        first, second = (self._traces[seed].get(card.scenario) for seed in HASH_SEEDS)
        same = first is not None and first == second
        item = Item(
            name="determinism",
            passed=same,
            cases=1,
            failures=int(not same),
            notes=() if same else ("two processes with different hash seeds disagree",),
        )
        return card.model_copy(update={"items": (card.items[0], item, *card.items[1:])})


def _scenario_key(pack: Pack, scenario: Scenario) -> str:
    return cache.content_key(
        pack.environment.model_dump_json(), scenario.model_dump_json(exclude={"tags"})
    )


@lru_cache(maxsize=4)
def _opened(folder: Path, isolation: IsolationPolicy, audited: str) -> tuple[Pack, Runtime]:
    pack = read_pack(folder)
    if audited_hash(pack) != audited:
        raise UsageError(
            f"{folder}: there is another pack here than the one whose audit has begun; leave it "
            "unchanged meanwhile, and bring the same to all machines"
        )
    return pack, isolation.runtime(pack)


def _assess(pack: Pack, runtime: Runtime) -> EnvironmentCard:
    try:
        return assess_environment(pack, runtime)
    except EnvironmentFault as fault:
        broken = Item(name="robustness", passed=False, cases=1, failures=1, notes=(str(fault),))
        return EnvironmentCard(env=pack.info.id, items=(broken,), score=0.0)


def _audit(scenario: Scenario, runtime: Runtime) -> ScenarioCard:
    try:
        return audit_scenario(scenario, runtime)
    except EnvironmentFault as fault:
        broken = Item(name="oracle", passed=False, cases=1, failures=1, notes=(str(fault),))
        return ScenarioCard(env=scenario.env, scenario=scenario.id, items=(broken,))


def _traces(folder: Path, isolation: IsolationPolicy, hash_seed: str) -> dict[str, str]:
    try:
        return trace_in_process(folder, hash_seed, isolation)
    except PackError:
        return {}
