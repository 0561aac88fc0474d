"""The Agent part of ACEBench."""

from collections.abc import Iterator, Sequence
from typing import cast, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric

from envscaler_eval.benchmarks.acebench import dataset as data
from envscaler_eval.benchmarks.acebench.data import COMMIT, data_hash
from envscaler_eval.benchmarks.acebench.dataset import (
    KINDS,
    LANGUAGES,
    Dataset,
    Datasets,
    Kind,
    Language,
)
from envscaler_eval.benchmarks.acebench.dialogues import ProtocolName
from envscaler_eval.benchmarks.acebench.faults import faults
from envscaler_eval.scorers import acebench
from envscaler_eval.solvers import acebench_dialogue, start_acebench
from envscaler_eval.tasks.dataset import one_of
from envscaler_eval.tasks.trials import epochs


@task
def acebench_agent(
    subset: str = "all",
    language: str = "en",
    protocol: ProtocolName = "official",
    agent_language: Language | None = None,
    trials: int = 1,
    data_dir: str | None = None,
) -> Task:
    """Agents on five small platforms, alone or with a simulated user.

    Args:
        subset: `multi_step`, `multi_turn` (with a simulated user on `--model-role
            user=MODEL`) or `all`.
        language: `en`, `zh` or `both`.
        protocol: `official` (calls as text), or `paper` for native calls as the
            EnvScaler paper evaluated.
        agent_language: The language in which the official protocol addresses
            multi_step agents, by default the task's. Upstream addresses models
            behind an API in `zh` even in English tasks.
        trials: How often each sample is run. With more than one, pass@k and
            pass^k are reported beside the mean.
        data_dir: The folder that holds `acebench/`, by default the one named by
            ENVSCALER_DATA, else the cache; see `envscaler data fetch acebench`.
    """
    one_of("subset", subset, (*KINDS, "all"))
    one_of("language", language, (*LANGUAGES, "both"))
    one_of("protocol", protocol, get_args(ProtocolName))
    if agent_language is not None:
        one_of("agent_language", agent_language, LANGUAGES)
    kinds = KINDS if subset == "all" else (cast(Kind, subset),)
    languages = LANGUAGES if language == "both" else (cast(Language, language),)
    datasets = Datasets(data_dir)
    samples = [sample for name in languages for sample in _samples(datasets.get(name), kinds)]
    return Task(
        dataset=MemoryDataset(samples, name="acebench_agent"),
        setup=start_acebench(protocol=protocol, agent_language=agent_language, data_dir=data_dir),
        solver=acebench_dialogue(),
        scorer=acebench(data_dir=data_dir),
        epochs=epochs(trials),
        version=1,
        headline_metric=HeadlineMetric(score="end_to_end"),
        metadata={
            "full_task_version": "1-A",
            "data": {"acebench": data_hash()},
            "upstream_commit": COMMIT,
        },
    )


def _samples(dataset: Dataset, kinds: Sequence[Kind]) -> Iterator[Sample]:
    for kind in kinds:
        for item in dataset.subset(kind):
            yield _sample(item)


def _sample(item: data.Task) -> Sample:
    """Return a task as a sample; its answers stay in the data."""
    return Sample(
        id=f"{item.language}/{item.id}",
        input=item.question,
        metadata={
            "task": item.id,
            "subset": item.kind,
            "language": item.language,
            "part": f"{item.language}_{item.kind}",
            "classes": list(item.classes),
            "faults": list(faults(item)),
        },
    )
