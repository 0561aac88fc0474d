"""Items on this machine, in this process or in several."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
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
        if self.workers > 1:
            self._run_processes(work, tries, tell)
            return
        while tries:
            report = run_item(work, tries.take())
            tries.settle(report)
            tell(report)

    def _run_processes(self, work: Work, tries: Tries, tell: Callable[[Report], None]) -> None:
        # A pool for each process: one that is killed takes no other's item with it.
        running: dict[Future[Report], tuple[Item, ProcessPoolExecutor]] = {}
        with ExitStack() as opened:
            idle = [opened.enter_context(_process()) for _ in range(self.workers)]
            while running or tries:
                while tries and idle:
                    item, process = tries.take(), idle.pop()
                    running[process.submit(run_item, work, item)] = item, process
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    item, process = running.pop(future)
                    try:
                        report = future.result()
                    except BrokenProcessPool:
                        report = Report(item.key, "failed", "its process was killed")
                        note_failure(Store(work.store), report)
                        process = opened.enter_context(_process())
                    idle.append(process)
                    tries.settle(report)
                    tell(report)


def _process() -> ProcessPoolExecutor:
    """Return a process that does one item at a time; it starts with the first."""
    # Spawned, since a fork copies the locks of threads that this process may have.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """Let this process end when the one that started it does, be it killed.

    What goes on unseen would ask providers for more than their limits beside the next run.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
