"""What an environment says of itself: its introduction and its tools."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from envscaler_eval.benchmarks import bfcl
from envscaler_eval.benchmarks.acebench import dataset as acebench
from envscaler_eval.benchmarks.acebench.schemas import tool_spec
from envscaler_eval.benchmarks.acebench.texts import Texts
from envscaler_eval.benchmarks.acebench.worlds.world import PLATFORMS
from envscaler_eval.benchmarks.bfcl.tools import tool_specs
from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.benchmarks.tau_bench import dataset as tau_bench
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import Pack, PackError, find_packs, read_info, read_pack
from envscaler_eval.pack_selection import locate_all
from envscaler_eval.world import ToolSpec

PACKS = "packs"
"""The source of environments that are packs."""

_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


@dataclass(frozen=True)
class EnvironmentText:
    """An environment, as far as an agent can read about it.

    Attributes:
        id: The pack's id, or `benchmark/part` such as `tau_bench/retail`.
        source: `PACKS`, or the benchmark.
        introduction: What the agent is told of it. Of BFCL and ACEBench there
            is only the name, since they tell no more; of Tau-Bench, the policy.
        tools: Its tools.
    """

    id: str
    source: str
    introduction: str
    tools: tuple[ToolSpec, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The introduction, and for each tool its name in words and what it does."""
        tools = (f"{words(tool.name)}: {tool.description}" for tool in self.tools)
        return (self.introduction, *tools)


def words(name: str) -> str:
    """Return the words of a name in snake or camel case."""
    return _CAMEL_CASE.sub(" ", name)


def pack_texts(packs: Iterable[Pack]) -> list[EnvironmentText]:
    """Return what packs say of themselves."""
    return [
        EnvironmentText(
            pack.info.id,
            PACKS,
            f"{pack.info.title}. {pack.info.introduction}",
            tuple(pack.environment.tools),
        )
        for pack in packs
    ]


def _tau_bench(data_dir: Path | None) -> list[EnvironmentText]:
    domains = [tau_bench.load(name, data_dir) for name in tau_bench.DOMAINS]
    return [
        EnvironmentText(f"tau_bench/{domain.name}", "tau_bench", domain.policy, domain.tools)
        for domain in domains
    ]


def _acebench(data_dir: Path | None) -> list[EnvironmentText]:
    dataset = acebench.load("en", data_dir)
    untold = dict(dataset.schemas)
    texts = []
    # Every platform has the tools of the first, the device, beside its own.
    for platform in PLATFORMS:
        name = platform.__name__
        has = platform(dataset.initial_data[name], {}, Texts("en")).tools()
        specs = tuple(tool_spec(untold.pop(key)) for key in list(untold) if key in has)
        texts.append(EnvironmentText(f"acebench/{name}", "acebench", words(name), specs))
    return texts


def _bfcl(data_dir: Path | None) -> list[EnvironmentText]:
    return [
        EnvironmentText(f"bfcl/{name}", "bfcl", words(name), tuple(tool_specs(docs)))
        for name, docs in bfcl.load("v4", data_dir).docs.items()
    ]


BENCHMARK_TEXTS: Mapping[str, Callable[[Path | None], list[EnvironmentText]]] = MappingProxyType(
    {"acebench": _acebench, "bfcl": _bfcl, "tau_bench": _tau_bench}
)
"""For each benchmark, a reader of its environments from the installed data: ACEBench's English
platforms, BFCL's classes in v4, Tau-Bench's domains."""


def named_texts(names: Iterable[str], data_dir: Path | None = None) -> list[EnvironmentText]:
    """Return what benchmarks and packs say of themselves.

    Args:
        names: Names of benchmarks, and ids, paths or folders of packs.
        data_dir: A folder that holds a folder for each benchmark.

    Raises:
        UsageError: One is unknown, or its data is missing.
    """
    texts = []
    for name in names:
        if name in BENCHMARK_TEXTS:
            texts += BENCHMARK_TEXTS[name](data_dir)
        else:
            texts += pack_texts([read_pack(folder) for folder in _located(name)])
    return texts


def texts_at_hand(data_dir: Path | None = None) -> tuple[list[EnvironmentText], list[str]]:
    """Return what the library's test packs and the installed benchmarks say of themselves.

    Args:
        data_dir: A folder that holds a folder for each benchmark.

    Returns:
        The texts, and a line for each benchmark whose data is missing.
    """
    folders = [folder for folder in find_packs() if read_info(folder).split == "test"]
    texts = pack_texts([read_pack(folder) for folder in folders])
    missing = []
    for read in BENCHMARK_TEXTS.values():
        try:
            texts += read(data_dir)
        except DataError as fault:
            missing.append(fault.message)
    return texts, missing


def _located(name: str) -> list[Path]:
    try:
        return locate_all(name)
    except PackError as fault:
        known = ", ".join(BENCHMARK_TEXTS)
        raise UsageError(f"{fault.message}; or one of the benchmarks {known}") from None
