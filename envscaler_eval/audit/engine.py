"""Auditing many packs: what to do, in parallel, and not twice."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from envscaler_eval.audit import cache
from envscaler_eval.audit.environment_assessment import assess_environment
from envscaler_eval.audit.findings import EnvironmentCard, Item, PackCard, ScenarioCard
from envscaler_eval.audit.scenario_audit import audit_scenario
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack, PackError, read_pack
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.validation import HASH_SEEDS, trace_in_process

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and of how many."""


@dataclass(frozen=True)
class Selection:
    """What to audit of a pack.

    Attributes:
        folder: The pack.
        scenarios: Ids of the scenarios; all when empty.
    """

    folder: Path
    scenarios: tuple[str, ...] = ()


def audit_packs(
    selections: Sequence[Selection],
    jobs: int,
    progress: Progress = lambda done, total: None,
    isolation: IsolationPolicy | None = None,
) -> list[PackCard]:
    """Audit packs; what was audited before and has not changed costs nothing.

    Args:
        selections: The packs.
        jobs: How many processes to use.
        progress: Told of each part that is done.
        isolation: Where the packs run; by default isolated unless they are of
            the library.

    Raises:
        PackError: A pack cannot be read.
        UsageError: This machine cannot isolate one.
        GateError: A program or a check does what isolated code may not do.
    """
    isolation = isolation or IsolationPolicy()
    packs = [read_pack(selection.folder) for selection in selections]
    for pack in packs:
        isolation.admit(pack)
    wanted = [
        [pack.scenario(name) for name in selection.scenarios] or list(pack.scenarios)
        for pack, selection in zip(packs, selections, strict=True)
    ]
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        parts = [
            _PackParts(pool, pack, scenarios, isolation)
            for pack, scenarios in zip(packs, wanted, strict=True)
        ]
        owners = {future: part for part in parts for future in part.futures()}
        progress(0, len(owners))
        for done, future in enumerate(as_completed(owners), start=1):
            future.result()
            owners[future].keep_what_is_there()
            progress(done, len(owners))
        return [part.card() for part in parts]


class _PackParts:
    """The parts of a pack's audit: those that were kept, and those on their way."""

    def __init__(
        self,
        pool: ProcessPoolExecutor,
        pack: Pack,
        scenarios: Sequence[Scenario],
        isolation: IsolationPolicy,
    ) -> None:
        self._pack = pack
        place = pack.folder, isolation
        self._key = cache.content_key(audited_hash(pack))
        self._keys = {scenario.id: _scenario_key(pack, scenario) for scenario in scenarios}
        self._environment = cache.load(self._key, EnvironmentCard)
        self._kept = {name: cache.load(key, ScenarioCard) for name, key in self._keys.items()}
        missing = [name for name, card in self._kept.items() if card is None]
        # The traces come first, since every scenario's card waits for them.
        self._traces = [pool.submit(_traces, *place, seed) for seed in HASH_SEEDS if missing]
        self._assessing = [pool.submit(_assess, *place)] if not self._environment else []
        self._auditing = {name: pool.submit(_audit, *place, name) for name in missing}

    def futures(self) -> "list[Future[Any]]":
        """Return the parts that are on their way."""
        return [*self._traces, *self._assessing, *self._auditing.values()]

    def keep_what_is_there(self) -> None:
        """Keep each part that has arrived, so that a run cut short loses nothing."""
        for assessing in self._assessing:
            if assessing.done() and self._environment is None:
                self._environment = assessing.result()
                cache.save(self._key, self._environment)
        if not all(trace.done() for trace in self._traces):
            return
        for name, auditing in self._auditing.items():
            if auditing.done() and self._kept[name] is None:
                card = self._with_determinism(auditing.result())
                self._kept[name] = card
                cache.save(self._keys[name], card)

    def card(self) -> PackCard:
        """Put the parts together, when all have arrived."""
        assert self._environment is not None
        return PackCard(
            env=self._pack.info.id,
            audited=audited_hash(self._pack),
            environment=self._environment,
            scenarios=tuple(card for card in self._kept.values() if card is not None),
        )

    def _with_determinism(self, card: ScenarioCard) -> ScenarioCard:
        first, second = (trace.result().get(card.scenario) for trace in self._traces)
        same = first is not None and first == second
        item = Item(
            name="determinism",
            passed=same,
            cases=1,
            failures=int(not same),
            notes=() if same else ("two processes with different hash seeds disagree",),
        )
        return card.model_copy(update={"items": (card.items[0], item, *card.items[1:])})


def audited_hash(pack: Pack) -> str:
    """Return the hash of all that an audit of the pack speaks of."""
    return cache.content_hash(
        pack.hash, *(rejection.model_dump_json() for rejection in pack.rejections)
    )


def _scenario_key(pack: Pack, scenario: Scenario) -> str:
    return cache.content_key(
        pack.environment.model_dump_json(), scenario.model_dump_json(exclude={"tags"})
    )


@lru_cache(maxsize=4)
def _opened(folder: Path, isolation: IsolationPolicy) -> tuple[Pack, Runtime]:
    pack = read_pack(folder)
    return pack, isolation.runtime(pack)


def _assess(folder: Path, isolation: IsolationPolicy) -> EnvironmentCard:
    pack, runtime = _opened(folder, isolation)
    try:
        return assess_environment(pack, runtime)
    except EnvironmentFault as fault:
        broken = Item(name="robustness", passed=False, cases=1, failures=1, notes=(str(fault),))
        return EnvironmentCard(env=pack.info.id, items=(broken,), score=0.0)


def _audit(folder: Path, isolation: IsolationPolicy, scenario_id: str) -> ScenarioCard:
    pack, runtime = _opened(folder, isolation)
    try:
        return audit_scenario(pack.scenario(scenario_id), runtime)
    except EnvironmentFault as fault:
        broken = Item(name="oracle", passed=False, cases=1, failures=1, notes=(str(fault),))
        return ScenarioCard(env=pack.info.id, scenario=scenario_id, items=(broken,))


def _traces(folder: Path, isolation: IsolationPolicy, hash_seed: str) -> dict[str, str]:
    try:
        return trace_in_process(folder, hash_seed, isolation)
    except PackError:
        return {}
