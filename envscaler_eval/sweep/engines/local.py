"""Items on this machine, in this process or in several."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.tries import Tries
from envscaler_eval.sweep.work import Item, Report, Work, note_failure, run_item


@dataclass(frozen=True)
class LocalEngine:
    """Runs items here.

    Attributes:
        workers: How many processes; 1 is this one.
    """

    workers: int = 1

    def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
        """Run items; see `Engine`."""
        tries = Tries(items, work.tries)
        if self.workers == 1:
            while tries:
                report = run_item(work, tries.take())
                tries.settle(report)
                tell(report)
            return
        while tries:
            self._run_pool(work, tries, tell)

    def _run_pool(self, work: Work, tries: Tries, tell: Callable[[Report], None]) -> None:
        """Run what waits in one pool of processes, until all is done or the pool breaks."""
        # Spawned, since a fork copies the locks of threads that this process may have.
        context = multiprocessing.get_context("spawn")
        running: dict[Future[Report], Item] = {}
        broken = False
        with ProcessPoolExecutor(self.workers, mp_context=context) as pool:
            while running or (tries and not broken):
                # No more than run at once: a pool that breaks costs each of them a try.
                while tries and not broken and len(running) < self.workers:
                    item = tries.take()
                    try:
                        running[pool.submit(run_item, work, item)] = item
                    except BrokenProcessPool:
                        broken = True
                        _settle(work, tries, _lost(item), tell)
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    item = running.pop(future)
                    try:
                        report = future.result()
                    except BrokenProcessPool:
                        broken, report = True, _lost(item)
                    _settle(work, tries, report, tell)


def _lost(item: Item) -> Report:
    return Report(item.key, "failed", "its process, or one beside it, was killed")


def _settle(work: Work, tries: Tries, report: Report, tell: Callable[[Report], None]) -> None:
    if not report.worker:
        note_failure(Store(work.store), report)
    tries.settle(report)
    tell(report)
