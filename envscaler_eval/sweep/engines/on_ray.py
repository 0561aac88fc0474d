"""Items as tasks of a Ray cluster."""

import logging
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.tries import Tries
from envscaler_eval.sweep.work import Item, Report, Work, note_failure, run_item

_OBJECT_STORE = 100 * 2**20
_PATIENCE = 10.0


@dataclass(frozen=True)
class RayEngine:
    """Runs items on a Ray cluster; workers reach the store by the same address as this machine.

    Attributes:
        workers: How many tasks are in flight, at most, however large the cluster.
        address: The cluster, `auto` for the one at hand; by default a Ray of its own on
            this machine.
        cpus: Logical CPUs of a task.
        memory_gb: Memory that Ray reserves for a task; by default none.
    """

    workers: int
    address: str | None = None
    cpus: float = 1.0
    memory_gb: float | None = None

    def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
        """Run items; see `Engine`.

        Raises:
            UsageError: Ray is not installed, the cluster cannot be reached, a task asks for
                more than this machine has, or a person must mend something on a worker.
        """
        ray = import_ray()
        began_here = not ray.is_initialized()
        try:
            if began_here:
                self._connect(ray)
            self._drive(ray, work, Tries(items, work.tries), tell)
        finally:
            if began_here:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        try:
            if self.address is not None:
                _knock(self.address)
                ray.init(address=self.address, **quiet)
                return
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray.init(
                address="local",
                num_cpus=max(1, round(self.workers * self.cpus)),
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE,
                _node_ip_address="127.0.0.1",
                **quiet,
            )
            self._check_memory(ray)
        except UsageError:
            raise
        except (OSError, OverflowError, RuntimeError, ValueError) as fault:
            told = " ".join(str(fault).split())
            raise UsageError(
                f"Ray at {self.address or 'this machine'}: {told}; name a cluster that runs with "
                "--ray-address"
            ) from None

    def _check_memory(self, ray: Any) -> None:
        """Refuse what a Ray of its own would wait for without end."""
        has = ray.cluster_resources().get("memory", 0.0) / 2**30
        if self.memory_gb is not None and self.memory_gb > has:
            raise UsageError(
                f"--memory-gb {self.memory_gb:g}: this machine has {has:.1f} GB for all pieces "
                "together; ask for less"
            )

    def _drive(self, ray: Any, work: Work, tries: Tries, tell: Callable[[Report], None]) -> None:
        options: dict[str, Any] = {
            "num_cpus": self.cpus,
            # Tries are counted here: Ray runs what lacks memory again without end.
            "max_retries": 0,
            "scheduling_strategy": "SPREAD",
        }
        if self.memory_gb is not None:
            options["memory"] = int(self.memory_gb * 2**30)
        task = ray.remote(run_item).options(**options)
        running: dict[Any, Item] = {}
        while tries or running:
            while tries and len(running) < self.workers:
                item = tries.take()
                running[task.remote(work, item)] = item
            (ended,), _ = ray.wait(list(running), num_returns=1)
            item = running.pop(ended)
            try:
                report: Report = ray.get(ended)
            except ray.exceptions.RayTaskError as fault:
                if isinstance(fault.cause, UsageError):
                    raise UsageError(fault.cause.message) from None
                report = _lost(work, item, str(fault.cause))
            except ray.exceptions.RayError as fault:
                report = _lost(work, item, str(fault) or type(fault).__name__)
            tries.settle(report)
            tell(report)


def _knock(address: str) -> None:
    """Reach a cluster that is given as HOST:PORT, for which Ray would wait minutes.

    Raises:
        OSError: Nobody answers.
    """
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "://" not in address:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()


def _lost(work: Work, item: Item, told: str) -> Report:
    """Note that an item's worker has not come back; it may be tried again."""
    first = told.strip().splitlines()[0]
    report = Report(item.key, "failed", f"its worker was lost: {first}")
    note_failure(Store(work.store), report)
    return report


def import_ray() -> Any:
    """Return Ray.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import ray
    except ImportError:
        raise UsageError(
            "the Ray engine needs the extra `ray`; install it with: pip install "
            "'envscaler-eval[ray]'"
        ) from None
    return ray
