"""What has to be known of a task to read its logs: clusters, groups, the score that counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

_PACKAGE = "envscaler_eval/"


@dataclass(frozen=True)
class TaskRules:
    """How samples of a task belong together.

    Attributes:
        cluster: The keys of the sample metadata that name a sample's cluster:
            samples of one cluster are not independent of each other. Without
            keys each sample is a cluster of its own.
        cluster_name: What a cluster is, for people.
        group: The key of the sample metadata that names a part of the task, if
            it has parts.
        macro: Whether the task's figure is the unweighted mean of its groups'
            means, not the mean of its samples.
        primary: The score that the task is judged by; that of the log's
            headline, or its first, if there is none.
        user_faults: The score that tells whether the simulated user made a fault; it
            is none of the model under test.
        free_args: Task arguments that choose samples or say how they are run: a
            sample of the same id is the same task, whatever they are.
    """

    cluster: tuple[str, ...] = ()
    cluster_name: str = "sample"
    group: str | None = None
    macro: bool = False
    primary: str | None = None
    user_faults: str | None = None
    free_args: frozenset[str] = field(default_factory=frozenset)

    def cluster_of(self, sample: str, metadata: Mapping[str, Any]) -> str:
        """Return the cluster of a sample."""
        if not self.cluster:
            return sample
        return "/".join(str(metadata[key]) for key in self.cluster)

    def group_of(self, metadata: Mapping[str, Any]) -> str | None:
        """Return the part of the task that a sample belongs to, if it has parts."""
        return None if self.group is None else str(metadata.get(self.group))


_RUNNING = frozenset({"data_dir", "trials"})

RULES: Mapping[str, TaskRules] = MappingProxyType(
    {
        # Scenarios of an environment share its tools and its state.
        "envscaler": TaskRules(
            cluster=("env",),
            cluster_name="environment",
            group="mode",
            primary="reward",
            user_faults="simulated_user",
            free_args=frozenset(
                {"trials", "envs", "tags", "split", "mode", "scenarios_per_env"}
                | {"isolation", "allow_weak_isolation", "offer_tools"}
            ),
        ),
        # Entries of one number are variants of one conversation.
        "bfcl_multi_turn": TaskRules(
            cluster=("number",),
            cluster_name="item",
            group="category",
            macro=True,
            primary="accuracy",
            free_args=_RUNNING | {"categories", "limit", "skip_faulty"},
        ),
        "tau_bench": TaskRules(
            cluster=("domain", "split", "task"),
            cluster_name="task",
            group="domain",
            macro=True,
            primary="reward",
            free_args=_RUNNING | {"domain", "split", "task_ids"},
        ),
        # A task in two languages is one task.
        "acebench_agent": TaskRules(
            cluster=("task",),
            cluster_name="task",
            group="subset",
            macro=True,
            primary="end_to_end",
            free_args=_RUNNING | {"subset", "language"},
        ),
    }
)


def short_name(task: str) -> str:
    """Return a task's name as people type it: ours without the name of the package."""
    return task.removeprefix(_PACKAGE)


def rules_of(task: str, cluster_key: str | None = None) -> TaskRules:
    """Return the rules of a task, by its short name.

    Args:
        task: The name.
        cluster_key: The key of the sample metadata that names the cluster, instead
            of the rules' own.
    """
    rules = RULES.get(task, TaskRules())
    if cluster_key is None:
        return rules
    return replace(rules, cluster=(cluster_key,), cluster_name=cluster_key)
