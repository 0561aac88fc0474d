"""The file that says what a sweep runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.model_fault import first_fault
from envscaler_eval.scenario import Frozen

TASKS = ("envscaler", "bfcl_multi_turn", "tau_bench", "acebench_agent")
_PREFIX = "envscaler_eval/"
# What a plan says by other keys, for all its runs.
_TAKEN = {"trials": "trials"}

# Who else speaks in an episode of the tasks.
ROLES = ("user",)

AtLeastOne = Annotated[int, Field(ge=1, strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Name = Annotated[str, Field(min_length=1)]


class TaskChoice(Frozen):
    """A task with its arguments.

    Attributes:
        task: The task's name.
        args: Its arguments, as `-T` takes them.
    """

    task: str
    args: Mapping[str, Any] = Field(default_factory=dict)

    @field_validator("task")
    @classmethod
    def _known(cls, name: str) -> str:
        short = name.removeprefix(_PREFIX)
        if short not in TASKS:
            raise ValueError(f"is '{name}'; use one of {', '.join(TASKS)}")
        return short

    @field_validator("args")
    @classmethod
    def _not_taken(cls, args: Mapping[str, Any]) -> Mapping[str, Any]:
        for name in args.keys() & _TAKEN.keys():
            raise ValueError(f"has '{name}'; give it as the plan's own key '{_TAKEN[name]}'")
        return args


class ModelChoice(Frozen):
    """A model, such as a checkpoint of a training.

    Attributes:
        model: Its name in Inspect.
        label: What results call it; by default its name with its arguments.
        args: The arguments it is made with, as `-M` takes them.
        generation: Settings of generation, such as `temperature`.
        base_url: Where it is served, if not at the usual place.
        metadata: What its logs say of it, such as `training_mode: conv`.
    """

    model: Name
    label: Name | None = None
    args: Mapping[str, Any] = Field(default_factory=dict)
    generation: Mapping[str, Any] = Field(default_factory=dict)
    base_url: str | None = None
    metadata: Mapping[str, Any] = Field(default_factory=dict)

    @field_validator("generation")
    @classmethod
    def _sound(cls, generation: Mapping[str, Any]) -> Mapping[str, Any]:
        if "adaptive_connections" in generation:
            raise ValueError(
                "has 'adaptive_connections', which no limit can hold; give max_connections, or a "
                "limit for the provider"
            )
        flight = generation.get("max_connections", 1)
        if type(flight) is not int or flight < 1:
            raise ValueError(f"max_connections is {flight!r}; use a whole number from 1")
        from inspect_ai.model import GenerateConfig

        try:
            GenerateConfig.model_validate(generation)
        except ValidationError as fault:
            raise ValueError(first_fault(fault)) from None
        return generation

    @property
    def provider(self) -> str:
        """The part of the name that says who serves it."""
        return self.model.partition("/")[0]

    @property
    def name(self) -> str:
        """What results call it."""
        if self.label is not None:
            return self.label
        given = {**self.args, **self.generation}
        told = ", ".join(f"{key}={value}" for key, value in given.items())
        return f"{self.model} ({told})" if told else self.model


class SampleLimits(Frozen):
    """Bounds of a single episode, as Inspect takes them.

    Attributes:
        message_limit: Messages.
        token_limit: Tokens.
        time_limit: Seconds by the clock.
        working_limit: Seconds of work, without waiting.
        cost_limit: Dollars, for models whose prices Inspect knows.
    """

    message_limit: AtLeastOne | None = None
    token_limit: AtLeastOne | None = None
    time_limit: AtLeastOne | None = None
    working_limit: AtLeastOne | None = None
    cost_limit: Annotated[float, Field(gt=0)] | None = None


class SweepPlan(Frozen):
    """What a sweep runs: each task, with each choice of parameters, by each model.

    Attributes:
        tasks: The tasks.
        models: The models under test.
        roles: The models on other roles, such as the simulated user.
        parameters: Task argument -> the values to sweep over.
        trials: How often each sample runs.
        samples_per_shard: How many samples are one piece of work.
        limits: Provider or model -> requests in flight on all machines together.
        sample_limits: Bounds of an episode.
        retries: How often a shard that failed is tried again.
        sample_retries: How often a sample that failed is tried again within a shard.
    """

    tasks: Annotated[tuple[TaskChoice, ...], Field(min_length=1)]
    models: Annotated[tuple[ModelChoice, ...], Field(min_length=1)]
    roles: Mapping[str, ModelChoice] = Field(default_factory=dict)
    parameters: Mapping[str, Annotated[tuple[Any, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    trials: AtLeastOne = 1
    samples_per_shard: AtLeastOne = 100
    limits: Mapping[str, AtLeastOne] = Field(default_factory=dict)
    sample_limits: SampleLimits = SampleLimits()
    retries: Count = 2
    sample_retries: Count = 2

    @field_validator("tasks", "models", mode="before")
    @classmethod
    def _from_names(cls, given: Any, info: ValidationInfo) -> Any:
        key = str(info.field_name).removesuffix("s")
        return [_choice(entry, key) for entry in _listed(given)]

    @field_validator("roles", mode="before")
    @classmethod
    def _roles_from_names(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            raise ValueError(f"is {given!r}; write a mapping of a role to its model")
        for name in given:
            if name not in ROLES:
                raise ValueError(f"has '{name}', which no task has; use {', '.join(ROLES)}")
        return {name: _choice(entry, "model") for name, entry in given.items()}

    @field_validator("parameters", mode="before")
    @classmethod
    def _values_listed(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            raise ValueError(f"is {given!r}; write a mapping of a task argument to a list")
        for name, values in given.items():
            if name in _TAKEN:
                raise ValueError(f"has '{name}'; give it as the plan's own key '{_TAKEN[name]}'")
            try:
                _listed(values)
            except ValueError as fault:
                raise ValueError(f"{name} {fault}") from None
        return given

    @model_validator(mode="after")
    def _one_place_for_each_argument(self) -> Self:
        for place, choice in enumerate(self.tasks, 1):
            for name in choice.args.keys() & self.parameters.keys():
                raise ValueError(
                    f"tasks {place} args: has '{name}', which `parameters` has too; keep one"
                )
        return self


def _listed(given: Any) -> Sequence[Any]:
    if not isinstance(given, list | tuple):
        raise ValueError(f"is {given!r}; write a list")
    if not given:
        raise ValueError("is empty; name at least one")
    return given


def _choice(entry: Any, key: str) -> Any:
    """Take a bare name for a choice with nothing besides."""
    if isinstance(entry, str):
        return {key: entry}
    if not isinstance(entry, Mapping | TaskChoice | ModelChoice):
        raise ValueError(f"has {entry!r}; write a name, or a mapping with `{key}`")
    return entry


def read_plan(file: Path) -> SweepPlan:
    """Read a plan.

    Raises:
        UsageError: There is no such file, or it is no plan; names the key and the remedy.
    """
    try:
        content = core_yaml.load(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise UsageError(f"{file}: {fault.strerror}; name a plan") from None
    except (core_yaml.YamlError, UnicodeDecodeError) as fault:
        raise UsageError(f"{file}: is no YAML: {fault}; mend it") from None
    if not isinstance(content, dict):
        raise UsageError(f"{file}: is no plan; write a mapping with `tasks` and `models`")
    try:
        return SweepPlan.model_validate(content)
    except ValidationError as fault:
        raise UsageError(f"{file}: {first_fault(fault)}") from None
