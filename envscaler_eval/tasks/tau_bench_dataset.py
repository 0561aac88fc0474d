"""Tau-Bench's tasks as an Inspect dataset."""

from collections.abc import Sequence

from inspect_ai.dataset import MemoryDataset, Sample

from envscaler_eval.benchmarks.tau_bench import Domain, Task, data, load
from envscaler_eval.benchmarks.tau_bench.dataset import DOMAINS
from envscaler_eval.benchmarks.tau_bench.faults import faults
from envscaler_eval.errors import UsageError
from envscaler_eval.tasks.dataset import one_of


def chosen_domains(name: str, data_dir: str | None) -> list[Domain]:
    """Load a domain, or both.

    Raises:
        UsageError: There is no such domain, or no data.
    """
    one_of("domain", name, (*DOMAINS, "both"))
    return [load(each, data_dir) for each in (DOMAINS if name == "both" else (name,))]


def task_indices(given: str | int | Sequence[str | int] | None) -> list[int] | None:
    """Return the task parameter `task_ids` as indices, or None for all tasks.

    Raises:
        UsageError: One is not a number.
    """
    if given is None:
        return None
    values = given.split(",") if isinstance(given, str) else given
    try:
        return [int(value) for value in ([values] if isinstance(values, int) else values)]
    except ValueError:
        raise UsageError(f"task_ids is '{given}'; use indices such as 0,7,12") from None


def trial_dataset(
    domains: Sequence[Domain], split: str, indices: Sequence[int] | None
) -> MemoryDataset:
    """Return a sample for each task.

    Args:
        domains: The domains.
        split: The split, which each of them must have.
        indices: Which tasks of each domain; all by default.

    Raises:
        UsageError: A domain lacks the split or a task.
    """
    samples = [
        task_to_sample(domain, split, task)
        for domain in domains
        for task in (
            domain.split(split)
            if indices is None
            else [domain.task(split, index) for index in indices]
        )
    ]
    return MemoryDataset(samples, name="tau_bench")


def task_to_sample(domain: Domain, split: str, task: Task) -> Sample:
    """Return a task as a sample; its actions and outputs stay in the data."""
    return Sample(
        id=f"{domain.name}/{split}/{task.index}",
        input=task.instruction,
        metadata={
            "domain": domain.name,
            "split": split,
            "task": task.index,
            "faults": list(faults(domain.name, split, task.index)),
            "data_sha256": data.fingerprint(domain.name),
        },
    )
