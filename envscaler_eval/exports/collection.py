"""Collecting trajectories of a teacher: run it, and say which of its attempts to keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.training_envs import refuse_test_environments
from envscaler_eval.exports.trajectories import TrajectoryLogs
from envscaler_eval.exports.trajectory_filter import FilterCounts, TrajectoryFilter
from envscaler_eval.isolation import is_shipped
from envscaler_eval.model_fault import first_fault
from envscaler_eval.pack import Pack
from envscaler_eval.solvers.protocol import ProtocolName

FILTER_FILE = "filter.json"
LOGS = "logs"


@dataclass(frozen=True)
class CollectChoices:
    """How a teacher plays.

    Attributes:
        mode: `non_conv`, `conv` or `both`.
        protocol: The rules of the episodes.
        trials: How many attempts at each scenario.
        scenarios_per_env: At most so many scenarios of each environment.
        seed: Fixes the environments' chance and the choice of scenarios.
        allow_weak_isolation: Whether isolated packs may run where a protection is
            missing.
        base_url: Where a teacher that is given by name is served, if not at the usual place.
        generation: Settings of generation, such as `temperature`.
        running: More that Inspect's `eval_set` takes, such as `max_connections`.
    """

    mode: str = "both"
    protocol: ProtocolName = "default"
    trials: int = 1
    scenarios_per_env: int | None = None
    seed: int = 0
    allow_weak_isolation: bool = False
    base_url: str | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)
    running: Mapping[str, Any] = field(default_factory=dict)


def collect(
    packs: Sequence[Pack],
    teacher: Any,
    user: Any,
    out: Path,
    wanted: TrajectoryFilter,
    choices: CollectChoices | None = None,
) -> FilterCounts:
    """Let a teacher play environments, and keep the trajectories that are worth it.

    Logs of all attempts go to `logs` in the folder, the filter beside them. What
    was cut short goes on where it stood when it is started again.

    Args:
        packs: The environments, none to test on.
        teacher: The model, as Inspect takes it.
        user: The model of the simulated user; `None` where no mode needs one.
        out: The folder.
        wanted: What a trajectory must be.
        choices: How the teacher plays.

    Returns:
        How many are kept, and how many dropped for which reason.

    Raises:
        UsageError: Environments to test on are among them, a user is missing, a model
            cannot be had or never comes to an episode, or the folder holds something
            else. A collection in it that is made in another way stays as it is.
    """
    from inspect_ai import eval_set
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import GenerateConfig

    from envscaler_eval.results.named_models import named_model, told_in_a_line
    from envscaler_eval.tasks import envscaler

    choices = choices or CollectChoices()
    refuse_test_environments((pack.info.id, pack.info.split) for pack in packs)
    if user is None and choices.mode != "non_conv":
        raise UsageError(
            "conversations need a model for the user; add --user-model MODEL or --mode non_conv"
        )
    if isinstance(teacher, str):
        config = GenerateConfig(**choices.generation)
        teacher = named_model(teacher, base_url=choices.base_url, config=config)
    if isinstance(user, str):
        user = named_model(user)
    task = envscaler(
        envs=[pack.info.id if is_shipped(pack) else str(pack.folder) for pack in packs],
        mode=choices.mode,
        protocol=choices.protocol,
        trials=choices.trials,
        scenarios_per_env=choices.scenarios_per_env,
        seed=choices.seed,
        allow_weak_isolation=choices.allow_weak_isolation,
    )
    is_new = not (out / LOGS).exists()
    if is_new:
        _write_filter(out, wanted)
    try:
        _, logs = eval_set(
            task,
            log_dir=str(out / LOGS),
            model=teacher,
            model_roles=None if user is None else {"user": user},
            # A fault of the infrastructure costs its own sample only, after two more tries.
            fail_on_error=False,
            retry_on_error=2,
            retry_attempts=0,
            **choices.running,
            **choices.generation,
        )
    except PrerequisiteError as fault:
        if is_new:
            raise UsageError(f"{out}: {told_in_a_line(fault)}") from None
        raise UsageError(
            f"{out}: holds a collection of another model or with other settings; "
            "write to another folder"
        ) from None
    if not is_new:
        # Only now is it sure that the collection there is this one.
        _write_filter(out, wanted)
    counts = FilterCounts()
    played, faults = False, [log.error.message for log in logs if log.error]
    for trajectory in TrajectoryLogs([out / LOGS]).read():
        counts.add(wanted.verdict(trajectory), trajectory.mode)
        if trajectory.fault is None:
            played = True
        else:
            faults.append(trajectory.fault)
    if not played:
        told = " ".join(faults[0].split()) if faults else "the logs hold none"
        raise UsageError(
            f"{out}: no attempt came to an episode: {told}; mend that, remove the folder and "
            "collect again"
        )
    return counts


def _write_filter(out: Path, wanted: TrajectoryFilter) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / FILTER_FILE).write_text(wanted.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as fault:
        raise UsageError(
            f"{out}: cannot be written: {fault.strerror}; write to another folder"
        ) from None


def is_collection(folder: Path) -> bool:
    """Whether a folder holds what `collect` has left."""
    return (folder / FILTER_FILE).is_file()


def collected_filter(folder: Path) -> TrajectoryFilter:
    """Return the filter that a collection was made with.

    Raises:
        UsageError: It cannot be read.
    """
    file = folder / FILTER_FILE
    try:
        return TrajectoryFilter.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UsageError(f"{file}: {first_fault(error)}; collect again") from None
