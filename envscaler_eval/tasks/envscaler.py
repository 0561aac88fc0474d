"""The task on synthesised environments."""

from collections.abc import Sequence
from typing import cast, get_args

from inspect_ai import Task, task

from envscaler_eval.scorers import checklist
from envscaler_eval.solvers import by_mode, close_episode, start_episode
from envscaler_eval.solvers.protocol import Mode, ProtocolName
from envscaler_eval.tasks.dataset import Split, listed, one_of, scenario_dataset, select_packs
from envscaler_eval.tasks.trials import epochs


@task
def envscaler(
    envs: str | Sequence[str] | None = None,
    tags: str | Sequence[str] | None = None,
    split: Split | None = None,
    mode: str = "non_conv",
    scenarios_per_env: int | None = None,
    trials: int = 1,
    seed: int = 0,
    protocol: ProtocolName = "default",
    step_limit: int | None = None,
    offer_tools: bool = False,
) -> Task:
    """Agents on stateful tool environments, graded by the state that they leave.

    Args:
        envs: Packs by id (from the library) or path, comma-separated or a list;
            by default the whole library.
        tags: Keep scenarios that carry all of these.
        split: Keep environments of this split.
        mode: `non_conv`, `conv` (with a simulated user on `--model-role
            user=MODEL`) or `both`.
        scenarios_per_env: Keep at most so many scenarios of each environment.
        trials: How often each sample is run. With more than one, pass@k and
            pass^k are reported beside the mean.
        seed: Fixes the environments' chance and the choice of scenarios; the
            same in each trial.
        protocol: `default`, or `paper` for the rules of the EnvScaler paper.
        step_limit: How many generations the agent has; by default the
            protocol's limit.
        offer_tools: Put the tools into the sample's state; needed with a
            `--solver` of your own.
    """
    one_of("mode", mode, (*get_args(Mode), "both"))
    one_of("protocol", protocol, get_args(ProtocolName))
    if split is not None:
        one_of("split", split, get_args(Split))
    modes = get_args(Mode) if mode == "both" else (cast(Mode, mode),)
    packs = select_packs(listed(envs), split)
    return Task(
        dataset=scenario_dataset(packs, modes, listed(tags), scenarios_per_env, seed),
        setup=start_episode(protocol=protocol, seed=seed, offer_tools=offer_tools),
        solver=by_mode(step_limit=step_limit),
        cleanup=close_episode,
        scorer=checklist(),
        epochs=epochs(trials),
        version=1,
        metadata={
            "full_task_version": "1-A",
            "packs": {pack.info.id: pack.hash for pack in packs},
        },
    )
