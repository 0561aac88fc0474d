"""A domain of Tau-Bench as a world."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_eval.benchmarks.tau_bench.arguments import binding_fault
from envscaler_eval.benchmarks.tau_bench.canonical import canonical
from envscaler_eval.benchmarks.tau_bench.dataset import Domain, load
from envscaler_eval.benchmarks.tau_bench.tables import Table, copied
from envscaler_eval.benchmarks.tau_bench.tool import TrialCrash, parameters
from envscaler_eval.world import ToolSpec


class TauWorld:
    """A fresh database of a domain, with the tools that act on it.

    Opening one is cheap: all worlds of a process share the domain's records,
    and each copies those that it writes.

    Args:
        domain: The domain, which is not modified.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._tables = {name: Table(records) for name, records in domain.tables.items()}
        self._crash: str | None = None

    @property
    def domain(self) -> Domain:
        """The domain."""
        return self._domain

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """The tools, in the order in which they are shown."""
        return self._domain.tools

    @property
    def crash(self) -> str | None:
        """Why upstream's harness would have recorded this trial as crashed, or None."""
        return self._crash

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the observation.

        Whatever goes wrong is an observation, and what was written before it
        stays written, as in upstream's `Env.step` (`tau_bench/envs/base.py`).

        Args:
            name: The tool.
            arguments: A JSON object; it is copied, never kept.

        Returns:
            The observation.
        """
        tool = self._domain.functions.get(name) if isinstance(name, str) else None
        if tool is None:
            return f"Unknown action {name}"
        try:
            fault = binding_fault(self._domain.name, name, parameters(tool), arguments)
            if fault is not None:
                return f"Error: {fault}"
            return tool(self._tables, **{key: copied(arguments[key]) for key in arguments})
        except TrialCrash as crash:
            self._crash = str(crash)
            return "None"
        except Exception as error:
            return f"Error: {error}"

    def state(self) -> dict[str, Any]:
        """Return a copy of the database: table name -> record id -> record."""
        return {
            name: {key: copied(record) for key, record in table.items()}
            for name, table in self._tables.items()
        }

    def data_hash(self) -> str:
        """Return upstream's hash of the database (`Env.get_data_hash`)."""
        return self._domain.canonical.hash_with(
            {name: table.changed() for name, table in self._tables.items()}
        )

    def changes(self) -> dict[tuple[str, str], str]:
        """Return the records that were written, in canonical form.

        Returns:
            (table, record id) -> canonical text. A record that was written but
            has come to be as it was is among them.
        """
        return {
            (name, key): canonical(record)
            for name, table in self._tables.items()
            for key, record in table.changed().items()
        }


def open_world(domain: str, data_dir: str | os.PathLike[str] | None = None) -> TauWorld:
    """Open a fresh world.

    Args:
        domain: `retail` or `airline`.
        data_dir: A folder that holds `tau_bench/`. Without it, the one that
            `ENVSCALER_DATA` names, else the cache.

    Returns:
        The world.

    Raises:
        DataError: There is no such domain, or no data.
    """
    return TauWorld(load(domain, data_dir))
