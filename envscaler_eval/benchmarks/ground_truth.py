"""The benchmarks' tasks with their ground truths, for the audit's ceiling and floor."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from envscaler_eval.audit.ground_truth import GroundTruthTask
from envscaler_eval.benchmarks.acebench import dataset as acebench
from envscaler_eval.benchmarks.acebench import oracle as acebench_oracle
from envscaler_eval.benchmarks.acebench.conformance import replay_task
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


GROUND_TRUTHS: Mapping[str, Callable[[DataFolder], Iterator[GroundTruthTask]]] = {
    "acebench": _acebench,
    "tau_bench": _tau_bench,
}
"""For each benchmark, its tasks: those that are reported, in all languages."""
