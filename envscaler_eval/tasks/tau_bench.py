"""The task on Tau-Bench."""

from collections.abc import Sequence
from typing import cast, get_args

from inspect_ai import Epochs, Task, task
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig

from envscaler_eval.benchmarks.tau_bench import NOOP_FLOOR, data
from envscaler_eval.scorers.tau_bench import tau_bench as tau_bench_scorer
from envscaler_eval.solvers.tau_bench import start_trial, tau_bench_agent
from envscaler_eval.solvers.tau_bench.protocol import PROTOCOLS, ProtocolName, Strategy
from envscaler_eval.tasks.dataset import one_of
from envscaler_eval.tasks.tau_bench_dataset import chosen_domains, task_indices, trial_dataset
from envscaler_eval.tasks.trials import epochs


@task
def tau_bench(
    domain: str = "both",
    split: str = "test",
    user_strategy: str | None = None,
    task_ids: str | int | Sequence[str | int] | None = None,
    trials: int = 1,
    protocol: str = "official",
    data_dir: str | None = None,
) -> Task:
    """Tau-Bench v1: serve a simulated customer of a shop or an airline.

    Args:
        domain: `retail`, `airline` or `both`.
        split: `test`, and for retail also `train` and `dev`.
        user_strategy: How the user is simulated by the model on `--model-role
            user=MODEL`: `llm`, `react` (with upstream's leak of the user's
            thoughts), `react_fixed`, `verify`, `reflection`; or `scripted`,
            without a model. By default as in the protocol.
        task_ids: Indices of tasks in the split, from 0, comma-separated or a
            list; by default all.
        trials: How often each task is run. With more than one, pass^k is
            reported for each k.
        protocol: `official` (users by `llm`, the agent at temperature 0), or
            `paper` for the settings of the EnvScaler paper (users by
            `react_fixed`, both at temperature 0.7).
        data_dir: A folder that holds `tau_bench/`; by default the one that
            `ENVSCALER_DATA` names, else the cache.
    """
    rules = PROTOCOLS[cast(ProtocolName, one_of("protocol", protocol, get_args(ProtocolName)))]
    strategy = one_of("user_strategy", user_strategy or rules.user_strategy, get_args(Strategy))
    domains = chosen_domains(domain, data_dir)
    return Task(
        dataset=trial_dataset(domains, split, task_indices(task_ids)),
        setup=start_trial(
            protocol=rules.name, user_strategy=cast(Strategy, strategy), data_dir=data_dir
        ),
        solver=tau_bench_agent(),
        scorer=tau_bench_scorer(data_dir=data_dir),
        epochs=_epochs(trials),
        config=GenerateConfig(temperature=rules.agent_temperature),
        version=1,
        headline_metric=HeadlineMetric(score="reward"),
        metadata={
            "full_task_version": "1-A",
            "data": {f"tau_bench/{each.name}": data.fingerprint(each.name) for each in domains},
            "upstream_commit": data.COMMIT,
            "protocol": rules.name,
            "user_strategy": strategy,
            "noop_floor": {each.name: NOOP_FLOOR.get(f"{each.name}/{split}") for each in domains},
        },
    )


def _epochs(trials: int) -> Epochs:
    """Return epochs that report pass^k for each k, as upstream does; pass^1 is the mean."""
    if trials < 2:
        return epochs(trials)
    return Epochs(trials, ["mean", *(f"pass_k_{k}" for k in range(2, trials + 1))])
