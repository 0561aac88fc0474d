"""Auditing many packs: what to do, in parallel, and not twice."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from envscaler_eval.audit import cache
from envscaler_eval.audit.environment_assessment import assess_environment
from envscaler_eval.audit.findings import EnvironmentCard, Item, PackCard, ScenarioCard
from envscaler_eval.audit.scenario_audit import audit_scenario
from envscaler_eval.pack import Pack, PackError, read_pack
from envscaler_eval.runtime import EnvironmentFault, InProcessRuntime, Runtime
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
    selections: Sequence[Selection], jobs: int, progress: Progress = lambda done, total: None
) -> list[PackCard]:
    """Audit packs; what was audited before and has not changed costs nothing.

    Args:
        selections: The packs.
        jobs: How many processes to use.
        progress: Told of each part that is done.

    Raises:
        PackError: A pack cannot be read.
    """
    packs = [read_pack(selection.folder) for selection in selections]
    wanted = [
        [pack.scenario(name) for name in selection.scenarios] or list(pack.scenarios)
        for pack, selection in zip(packs, selections, strict=True)
    ]
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        parts = [
            _PackParts(pool, pack, scenarios) for pack, scenarios in zip(packs, wanted, strict=True)
        ]
        futures = [future for part in parts for future in part.futures()]
        progress(0, len(futures))
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            progress(done, len(futures))
        return [part.card() for part in parts]


class _PackParts:
    """The parts of a pack's audit, on their way."""

    def __init__(
        self, pool: ProcessPoolExecutor, pack: Pack, scenarios: Sequence[Scenario]
    ) -> None:
        self._pack = pack
        self._key = cache.content_key(audited_hash(pack))
        self._environment = cache.load(self._key, EnvironmentCard)
        self._assessing: Future[EnvironmentCard] | None = None
        if self._environment is None:
            self._assessing = pool.submit(_assess, pack.folder)
        self._cards: dict[str, ScenarioCard | Future[ScenarioCard]] = {}
        for scenario in scenarios:
            known = cache.load(_scenario_key(pack, scenario), ScenarioCard)
            self._cards[scenario.id] = known or pool.submit(_audit, pack.folder, scenario.id)
        self._traces: list[Future[dict[str, str]]] = []
        if any(isinstance(card, Future) for card in self._cards.values()):
            self._traces = [pool.submit(_traces, pack.folder, seed) for seed in HASH_SEEDS]

    def futures(self) -> Iterator["Future[object]"]:
        """Yield the parts that are not there yet."""
        if self._assessing is not None:
            yield self._assessing  # type: ignore[misc]
        for card in self._cards.values():
            if isinstance(card, Future):
                yield card  # type: ignore[misc]
        yield from self._traces  # type: ignore[misc]

    def card(self) -> PackCard:
        """Put the parts together, and keep what is new."""
        environment = self._environment
        if environment is None:
            assert self._assessing is not None
            environment = self._assessing.result()
            cache.save(self._key, environment)
        scenarios = []
        for name, part in self._cards.items():
            if isinstance(part, Future):
                card = self._with_determinism(part.result())
                cache.save(_scenario_key(self._pack, self._pack.scenario(name)), card)
            else:
                card = part
            scenarios.append(card)
        return PackCard(
            env=self._pack.info.id,
            audited=audited_hash(self._pack),
            environment=environment,
            scenarios=tuple(scenarios),
        )

    def _with_determinism(self, card: ScenarioCard) -> ScenarioCard:
        traces = [future.result().get(card.scenario, "") for future in self._traces]
        same = bool(traces[0]) and traces[0] == traces[1]
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
def _opened(folder: Path) -> tuple[Pack, Runtime]:
    pack = read_pack(folder)
    return pack, InProcessRuntime(pack.environment)


def _assess(folder: Path) -> EnvironmentCard:
    pack, runtime = _opened(folder)
    try:
        return assess_environment(pack, runtime)
    except EnvironmentFault as fault:
        broken = Item(name="robustness", passed=False, cases=1, failures=1, notes=(str(fault),))
        return EnvironmentCard(env=pack.info.id, items=(broken,), score=0.0)


def _audit(folder: Path, scenario_id: str) -> ScenarioCard:
    pack, runtime = _opened(folder)
    try:
        return audit_scenario(pack.scenario(scenario_id), runtime)
    except EnvironmentFault as fault:
        broken = Item(name="oracle", passed=False, cases=1, failures=1, notes=(str(fault),))
        return ScenarioCard(env=pack.info.id, scenario=scenario_id, items=(broken,))


def _traces(folder: Path, hash_seed: str) -> dict[str, str]:
    try:
        return trace_in_process(folder, hash_seed)
    except PackError:
        return {}
