"""Synthesis over the engines of sweeps: environments made anywhere, merged into one run.

What is made elsewhere is added to the records of the run; then its pipeline goes through all
that is recorded, as it would after an interruption. So the outcome is that of one process.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from envscaler_eval.pack import Pack
from envscaler_eval.sweep.limits import share_of_connections
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.synth_records import Entry, StoredRecords, forget_records
from envscaler_eval.sweep.synth_work import (
    FUNCTION,
    Given,
    Maker,
    make,
    synth_item,
    synth_result,
)
from envscaler_eval.sweep.work import (
    DONE,
    FAILED,
    Engine,
    Item,
    Report,
    Work,
    keys_in,
    map_items,
    read_failure,
    result_name,
)
from envscaler_eval.synth.answers import ANSWERS
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.asking import REASKS
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import RecordedRun, Run
from envscaler_eval.synth.scen_generator.build import ScenGenerator
from envscaler_eval.synth.skel_builder import SkelBuilder, Skeleton, Task
from envscaler_eval.synth.skel_builder.assessing import AUDITS
from envscaler_eval.synth.watching import NobodyWatches, Watcher

_TRIES = 2

Made = TypeVar("Made")


@dataclass(frozen=True)
class SynthOutcome(Generic[Made]):
    """What came of a synthesis over an engine.

    Attributes:
        made: What was kept, in the order of a run in one process.
        unfinished: What failed before the environments were handed out, by stage and item.
        missing: How many environments are not done.
        failures: Why some of them failed, a line each.
    """

    made: list[Made]
    unfinished: dict[tuple[str, str], str]
    missing: int = 0
    failures: Sequence[str] = ()


@dataclass
class SharedRun:
    """A run of a pipeline whose environments are made over an engine.

    Attributes:
        artefacts: What has been made, here and elsewhere.
        models: Who answers, by names.
        engine: Where environments are made. All workers together have no more requests to a
            model in flight than `models` allows.
        store: Where workers put what they make.
        concurrency: How many items are worked on at once, here and by each worker.
        watcher: Who hears of what is done here or comes in.
        progress: Told how many environments are done, and of how many.
    """

    artefacts: Artefacts
    models: Models
    engine: Engine
    store: Store
    concurrency: int = 10
    watcher: Watcher = field(default_factory=NobodyWatches)
    progress: Callable[[int, int], None] = lambda done, total: None

    def __post_init__(self) -> None:
        """Name the models so that workers understand it, and share out their connections.

        Raises:
            UsageError: There are more workers than connections, or a model has no name.
        """
        self.models = self.models.for_all_machines()
        self._share = share_of_connections(self.models.max_connections, self.engine.workers)

    def build(self, builder: SkelBuilder, tasks: Sequence[Task]) -> SynthOutcome[Skeleton]:
        """Build environments from tasks: mined and chosen here, made over the engine.

        Args:
            builder: How.
            tasks: The tasks.

        Raises:
            UsageError: The run cannot go on, for want of a model, of isolation or of a
                store that can be written.
        """
        run = Run(self.artefacts, self.models, self.concurrency, self.watcher)
        topics = asyncio.run(builder.choose(run, tasks))
        return self._over(
            builder, topics, lambda recorded: builder.make_all(recorded, topics), run.unfinished
        )

    def generate(
        self, generator: ScenGenerator, skeletons: Sequence[Skeleton]
    ) -> SynthOutcome[Pack]:
        """Make the packs of environments over the engine.

        Args:
            generator: How.
            skeletons: The environments.

        Raises:
            UsageError: As `build`.
        """
        return self._over(
            generator, skeletons, lambda recorded: generator.generate_all(recorded, skeletons), {}
        )

    def _over(
        self,
        maker: Maker,
        givens: Sequence[Given],
        collect: Callable[[Run], Coroutine[Any, Any, list[Made]]],
        unfinished: dict[tuple[str, str], str],
    ) -> SynthOutcome[Made]:
        wanted: dict[str, tuple[Given, Item]] = {}
        for given in givens:
            if not self._is_recorded(maker, given):
                item = synth_item(maker, given, self.models, self._share, self.concurrency)
                wanted[item.key] = given, item

        def take(key: str) -> None:
            if key not in wanted:
                return
            self._merge(synth_result(key, self.store))
            if self._is_recorded(maker, wanted[key][0]):
                del wanted[key]
                forget_records(self.store, key)
            else:
                # It began from other records than this run has; begun from these, it is of use.
                self.store.remove(result_name(key))

        def tell(report: Report) -> None:
            if report.status == "done":
                take(report.key)
                self.progress(len(givens) - len(wanted), len(givens))

        for key in keys_in(self.store, DONE) & wanted.keys():
            take(key)
        self.progress(len(givens) - len(wanted), len(givens))
        self._hand_over(maker, {given.id: key for key, (given, _) in wanted.items()})
        items = [item for _, item in wanted.values()]
        map_items(Work(FUNCTION, self.store.root, _TRIES), items, self.engine, tell)
        failed = sorted(keys_in(self.store, FAILED) & wanted.keys())
        for key in failed:
            self._merge(StoredRecords(self.store, key))
        recorded = RecordedRun(self.artefacts, self.models, self.concurrency, self.watcher)
        return SynthOutcome(
            made=asyncio.run(collect(recorded)),
            unfinished=unfinished,
            missing=len(wanted),
            failures=[read_failure(self.store, key).message for key in failed],
        )

    def _is_recorded(self, maker: Maker, given: Given) -> bool:
        """Whether the records of the run lead to the end of an environment's way."""
        run = RecordedRun(self.artefacts, self.models)
        asyncio.run(make(maker, run, given))
        return not run.unfinished

    def _merge(self, entries: Iterable[Entry]) -> None:
        for collection, key, record in entries:
            if self.artefacts.get(collection, key) is not None:
                continue
            self.artefacts.put(collection, key, record)
            if collection == ANSWERS:
                self.watcher.answered(record, fresh=True)
            elif collection == REASKS:
                self.watcher.asked_again(record)

    def _hand_over(self, maker: Maker, keys: dict[str, str]) -> None:
        """Let workers begin with what the run has of their environments.

        Args:
            maker: What makes them.
            keys: The items' keys by the environments' ids.
        """
        steps = {step.name for stage in maker.stages for step in stage.steps}
        stages = [stage.collection for stage in maker.stages]
        begun: dict[str, StoredRecords] = {}
        for collection in (ANSWERS, REASKS, AUDITS, *stages):
            for record in read_records(self.artefacts.folder, collection):
                # The name of every item begins with its environment's id.
                env = record["item"].partition("/")[0]
                if env in keys and record.get("step", None) in (None, *steps):
                    if env not in begun:
                        begun[env] = StoredRecords(self.store, keys[env])
                    begun[env].put(collection, record.pop("key"), record)
