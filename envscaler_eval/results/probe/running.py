"""Running models on scenarios chosen at random."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.model import GenerateConfig, Model
from pydantic import ValidationError

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.results.named_models import named_model
from envscaler_eval.tasks import envscaler


@dataclass(frozen=True)
class ProbeRun:
    """What to run.

    Attributes:
        envs: Environments to choose from; none for the library.
        count: How many scenarios, at most.
        mode: `non_conv`, `conv` or `both`.
        seed: Fixes the choice of scenarios, and their chance.
        trials: How often each sample is run.
        user: The model that plays the user in `conv`.
        log_dir: Where the logs go.
    """

    envs: Sequence[str]
    count: int
    mode: str
    seed: int
    trials: int
    user: str | None
    log_dir: Path


def run_probe(models: Sequence[Model], run: ProbeRun) -> list[str]:
    """Run models on the same random scenarios.

    Args:
        models: The models.
        run: What to run.

    Returns:
        The logs, one for each model.

    Raises:
        UsageError: Something asked for is not to be had, or a run has failed.
    """
    task = envscaler(envs=list(run.envs) or None, mode=run.mode, seed=run.seed, trials=run.trials)
    if run.mode != "non_conv" and run.user is None:
        raise UsageError(
            f"mode {run.mode} needs a model for the user; add --user MODEL (policy/user works "
            "offline)"
        )
    chosen = choose_scenarios([sample.metadata or {} for sample in task.dataset], run)
    ids = [str(sample.id) for sample in task.dataset if _scenario(sample.metadata or {}) in chosen]
    logs = inspect_eval(
        task,
        model=list(models),
        model_roles={"user": named_model(run.user)} if run.user else None,
        sample_id=ids,
        log_dir=str(run.log_dir),
        metadata={"probe": {"scenarios": len(chosen), "seed": run.seed}},
    )
    for log in logs:
        if log.status != "success":
            told = log.error.message if log.error else log.status
            raise UsageError(f"{log.eval.model}: the run has failed: {told}; see {log.location}")
    return [log.location for log in logs]


def choose_scenarios(samples: Sequence[Mapping[str, Any]], run: ProbeRun) -> set[str]:
    """Choose scenarios at random, in each mode the same.

    Args:
        samples: The metadata of all samples.
        run: How many, and the seed.
    """
    scenarios = sorted({_scenario(metadata) for metadata in samples})
    if len(scenarios) <= run.count:
        return set(scenarios)
    return set(random.Random(run.seed).sample(scenarios, run.count))


def make_models(names: Sequence[str], specs: Sequence[str]) -> list[Model]:
    """Make models from their names, and from specs as Inspect's `--model-spec` has them.

    Args:
        names: Names such as `openai/gpt-4.1`.
        specs: YAML or JSON mappings with `model`, and optionally `model_args`, `base_url`
            and settings of generation.

    Raises:
        UsageError: A spec is no such mapping, or a model cannot be had.
    """
    return [named_model(name) for name in names] + [_from_spec(spec) for spec in specs]


def _from_spec(text: str) -> Model:
    try:
        spec = core_yaml.load(text)
        if not isinstance(spec, dict) or "model" not in spec:
            raise ValueError("it is no mapping with 'model'")
        name, arguments = spec.pop("model"), dict(spec.pop("model_args", {}))
        base_url = spec.pop("base_url", None)
        config = GenerateConfig.model_validate(spec)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        where = "".join(f"{part}: " for part in wrong["loc"])
        told = where + wrong["msg"].removeprefix("Value error, ")
        raise UsageError(f"model spec '{text}': {told}") from None
    except (TypeError, ValueError) as fault:
        raise UsageError(
            f"model spec '{text}': {fault}; write such as "
            "'{model: policy/oracle, model_args: {error_rate: 0.2}}'"
        ) from None
    return named_model(name, config=config, base_url=base_url, memoize=False, **arguments)


def _scenario(metadata: Mapping[str, Any]) -> str:
    return f"{metadata['env']}/{metadata['scenario']}"
