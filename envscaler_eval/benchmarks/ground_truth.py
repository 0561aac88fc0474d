"""The benchmarks' tasks with their ground truths, for the audit's ceiling and floor."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from envscaler_eval.audit.ground_truth import GroundTruthTask
from envscaler_eval.benchmarks import bfcl
from envscaler_eval.benchmarks.acebench import dataset as acebench
from envscaler_eval.benchmarks.acebench import oracle as acebench_oracle
from envscaler_eval.benchmarks.acebench.conformance import replay_task
from envscaler_eval.benchmarks.bfcl.calls import Call
from envscaler_eval.benchmarks.bfcl.checker import judge
from envscaler_eval.benchmarks.bfcl.oracle import oracle_calls
from envscaler_eval.benchmarks.tau_bench import dataset as tau_bench
from envscaler_eval.benchmarks.tau_bench import noop_script, oracle_script
from envscaler_eval.benchmarks.tau_bench.grading import grade_trial
from envscaler_eval.benchmarks.tau_bench.oracle import Script

DataFolder = Path | None
"""A folder that holds a folder for each benchmark; `None` for the usual places."""


def _tau_bench(data_dir: DataFolder) -> Iterator[GroundTruthTask]:
    for name in ("retail", "airline"):
        domain = tau_bench.load(name, data_dir)
        for index, task in enumerate(domain.split("test")):
            yield GroundTruthTask(
                name=f"tau_bench/{name}/test/{index}",
                group=f"tau_bench/{name}",
                solve=partial(_tau_reward, domain, task, oracle_script(task)),
                idle=partial(_tau_reward, domain, task, noop_script()),
            )


def _tau_reward(domain: tau_bench.Domain, task: tau_bench.Task, script: Script) -> float:
    return grade_trial(domain, task, script.calls, (script.reply,)).reward


def _acebench(data_dir: DataFolder) -> Iterator[GroundTruthTask]:
    for language in get_args(acebench.Language):
        dataset = acebench.load(language, data_dir)
        for task in dataset.tasks.values():
            yield GroundTruthTask(
                name=f"acebench/{language}/{task.id}",
                group=f"acebench/{language}/{task.kind}",
                solve=partial(_ace_score, dataset, task, acebench_oracle.messages(task)),
                idle=partial(_ace_score, dataset, task, ()),
            )


def _ace_score(dataset: acebench.Dataset, task: acebench.Task, messages: tuple[str, ...]) -> float:
    return float(replay_task(dataset, task, messages)["official_end_ok"])


def _bfcl(snapshot: bfcl.Snapshot, data_dir: DataFolder) -> Iterator[GroundTruthTask]:
    dataset = bfcl.load(snapshot, data_dir)
    for entry in dataset.entries.values():
        calls = oracle_calls(dataset, entry)
        yield GroundTruthTask(
            name=f"bfcl/{snapshot}/{entry.id}",
            group=f"bfcl/{snapshot}/{entry.category}",
            solve=partial(_bfcl_score, dataset, entry, calls),
            idle=partial(_bfcl_score, dataset, entry, ((),) * len(entry.turns)),
        )


def _bfcl_score(
    dataset: bfcl.Dataset, entry: bfcl.Entry, turns: tuple[tuple[Call, ...], ...]
) -> float:
    return float(judge(dataset, entry, [[calls] for calls in turns]).valid)


GROUND_TRUTHS: Mapping[str, Callable[[DataFolder], Iterator[GroundTruthTask]]] = {
    "acebench": _acebench,
    "bfcl": partial(_bfcl, "v4"),
    "bfcl_v3": partial(_bfcl, "v3"),
    "tau_bench": _tau_bench,
}
"""For each benchmark, its tasks: those that are reported, in all languages."""
