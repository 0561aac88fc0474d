"""The task on synthesised environments."""

from collections.abc import Sequence
from typing import cast, get_args

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from envscaler_eval.isolation import (
    IsolationArguments,
    IsolationChoice,
    IsolationPolicy,
    isolation_choice,
    limits_of,
)
from envscaler_eval.scorers import checklist, simulated_user
from envscaler_eval.solvers import by_mode, close_episode, start_episode
from envscaler_eval.solvers.protocol import PROTOCOLS, Mode, ProtocolName, ReasoningHistory
from envscaler_eval.solvers.user_strategies import UserStrategy
from envscaler_eval.tasks.dataset import (
    Split,
    listed,
    not_negative,
    one_of,
    scenario_dataset,
    select_packs,
    whole_number,
    yes_or_no,
)
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
    reasoning_history: ReasoningHistory | None = None,
    user_strategy: UserStrategy | None = None,
    user_temperature: float | None = None,
    offer_tools: bool = False,
    isolation: IsolationChoice = "auto",
    allow_weak_isolation: bool = False,
    limits: dict[str, float] | None = None,
) -> Task:
    """Agents on stateful tool environments, graded by the state that they leave.

    Args:
        envs: Packs by id (from the library), path or folder of packs, comma-separated or a list;
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
        reasoning_history: Which of its earlier reasoning a model that reasons
            is shown again: `all`, the `last` or `none`; `auto` leaves it to the
            provider. By default the protocol's choice.
        user_strategy: How the user of `conv` makes its messages: `llm`, or
            `llm_react`, which thinks in writing first; by default `llm`, under
            the paper's protocol `llm_react`.
        user_temperature: The temperature of the user's model where the role has
            none of its own; by default its provider's, under the paper's
            protocol 0.7.
        offer_tools: Put the tools into the sample's state; needed with a
            `--solver` of your own.
        isolation: `in_process` or `isolated`; by default packs of the library
            run in process and all others isolated.
        allow_weak_isolation: Whether isolated packs may run on a machine that
            lacks a protection. The log records it.
        limits: Bounds of isolated environments, such as `{call_seconds: 2}`.
    """
    one_of("mode", mode, (*get_args(Mode), "both"))
    one_of("protocol", protocol, get_args(ProtocolName))
    if split is not None:
        one_of("split", split, get_args(Split))
    whole_number("seed", seed)
    whole_number("trials", trials, least=1)
    if scenarios_per_env is not None:
        whole_number("scenarios_per_env", scenarios_per_env, least=1)
    if step_limit is not None:
        whole_number("step_limit", step_limit, least=1)
    if reasoning_history is not None:
        one_of("reasoning_history", reasoning_history, get_args(ReasoningHistory))
    if user_strategy is not None:
        one_of("user_strategy", user_strategy, get_args(UserStrategy))
    if user_temperature is not None:
        not_negative("user_temperature", user_temperature)
    yes_or_no("offer_tools", offer_tools)
    modes = get_args(Mode) if mode == "both" else (cast(Mode, mode),)
    packs = select_packs(listed(envs), split)
    policy = IsolationPolicy(isolation_choice(isolation), allow_weak_isolation, limits_of(limits))
    for pack in packs:
        policy.admit(pack)
    placed: IsolationArguments = {
        "isolation": isolation,
        "allow_weak_isolation": allow_weak_isolation,
        "limits": limits,
    }
    return Task(
        dataset=scenario_dataset(packs, modes, listed(tags), scenarios_per_env, seed),
        setup=start_episode(protocol=protocol, seed=seed, offer_tools=offer_tools, **placed),
        solver=by_mode(
            step_limit=step_limit,
            user_strategy=user_strategy,
            user_temperature=user_temperature,
        ),
        cleanup=close_episode,
        config=GenerateConfig(
            reasoning_history=reasoning_history or PROTOCOLS[protocol].reasoning_history
        ),
        scorer=[checklist(**placed), *([simulated_user()] if "conv" in modes else [])],
        epochs=epochs(trials),
        version=1,
        metadata={
            "full_task_version": "1-A",
            "packs": {pack.info.id: pack.hash for pack in packs},
            "isolation": policy.report(packs),
        },
    )
