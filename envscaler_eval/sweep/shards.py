"""A plan cut into shards, the same for whoever cuts it."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import ceil
from typing import TYPE_CHECKING, Any

from envscaler_eval.errors import UsageError
from envscaler_eval.scenario import Frozen
from envscaler_eval.sweep.plan import ModelChoice, SampleLimits, SweepPlan
from envscaler_eval.sweep.work import content_key

if TYPE_CHECKING:
    from inspect_ai import Task

# Of the 255 bytes of most file systems, of which the shard's file takes none.
_LONGEST_FOLDER = 100


class Unit(Frozen):
    """What the episodes of a table's line share.

    Attributes:
        task: The task.
        args: Its arguments, with the choice of parameters.
        parameters: The choice of parameters.
        variant: What tells its arguments from others that the plan has for the task.
        model: The model under test.
        roles: The models on other roles.
        trials: How often each sample runs.
        sample_limits: Bounds of an episode.
    """

    task: str
    args: Mapping[str, Any]
    parameters: Mapping[str, Any]
    variant: str
    model: ModelChoice
    roles: Mapping[str, ModelChoice]
    trials: int
    sample_limits: SampleLimits

    @property
    def name(self) -> str:
        """Its folder below the logs: the model's, and the task's within, with parameters."""
        return f"{_slug(self.model.name)}/{_slug(' '.join(self._part()))}"

    @property
    def label(self) -> str:
        """What results call the model with the choice of parameters."""
        return ", ".join([self.model.name, *self._choices()])

    def _part(self) -> Iterator[str]:
        yield self.task
        yield from self._choices()
        if self.variant:
            yield self.variant

    def _choices(self) -> Iterator[str]:
        yield from (f"{name}={value}" for name, value in sorted(self.parameters.items()))

    def build(self) -> "Task":
        """Make the task.

        Raises:
            UsageError: It cannot be had with these arguments.
        """
        from envscaler_eval import tasks

        try:
            task: Task = getattr(tasks, self.task)(**self.args, trials=self.trials)
        except UsageError:
            raise
        except (TypeError, ValueError, AttributeError, LookupError) as fault:
            # Of a type that the task does not reckon with.
            told = str(fault).partition("() ")[2] or str(fault)
            raise UsageError(f"task {self.task}: {told}; mend its args or the parameters") from None
        return task


class Shard(Frozen):
    """A piece of work: some samples of a unit.

    Attributes:
        key: The hash of all that decides its episodes.
        unit: What they share.
        place: Its place among the unit's shards, from 0.
        samples: The samples.
    """

    key: str
    unit: Unit
    place: int
    samples: tuple[str, ...]


def units(plan: SweepPlan) -> list[Unit]:
    """Return each combination of task, parameters and model.

    Raises:
        UsageError: Two of them go by one name, or would be in one folder.
    """
    names = list(plan.parameters)
    twice = Counter(choice.task for choice in plan.tasks)
    found = [
        Unit(
            task=choice.task,
            args={**choice.args, **dict(zip(names, values, strict=True))},
            parameters=dict(zip(names, values, strict=True)),
            variant=content_key(choice.args)[:6] if twice[choice.task] > 1 else "",
            model=model,
            roles=plan.roles,
            trials=plan.trials,
            sample_limits=plan.sample_limits,
        )
        for model in plan.models
        for choice in plan.tasks
        for values in itertools.product(*plan.parameters.values())
    ]
    seen: dict[str, Unit] = {}
    for unit in found:
        # Some file systems take names that differ in capitals alone for one.
        rival = seen.setdefault(unit.name.casefold(), unit)
        if rival is unit:
            continue
        if rival.label == unit.label:
            raise UsageError(
                f"{unit.label} on {unit.task} is twice in the plan; take one out, or give one of "
                "the models a `label` of its own"
            )
        raise UsageError(
            f"{rival.label} and {unit.label} would both have the folder {unit.name}; give one of "
            "them a `label` that differs in more"
        )
    return found


def shards(plan: SweepPlan) -> list[Shard]:
    """Cut a plan into shards.

    Samples are put in the order of the hash of their id, which says nothing about them, and
    cut into pieces of one size: each has a bit of every environment, and takes about as long.

    Raises:
        UsageError: A task cannot be had, lacks its user, or has a sample twice by one name;
            or two units go by one name.
    """
    built: dict[str, tuple[list[str], Any]] = {}
    found: list[Shard] = []
    samples_of: dict[tuple[str, str], set[str]] = {}
    for unit in units(plan):
        source = content_key([unit.task, unit.args, unit.trials])
        if source not in built:
            task = unit.build()
            _check_user(unit, task)
            built[source] = _samples(task), _made_of(task)
        ids, data = built[source]
        others = samples_of.setdefault((unit.label, unit.task), set())
        if not others.isdisjoint(ids):
            raise UsageError(
                f"tasks: {unit.task} has the same samples more than once, such as "
                f"{min(others.intersection(ids))}, which results could not tell apart; put the "
                "arguments that differ under `parameters`"
            )
        others.update(ids)
        pieces = ceil(len(ids) / plan.samples_per_shard)
        for place in range(pieces):
            cut = slice(place * len(ids) // pieces, (place + 1) * len(ids) // pieces)
            samples = tuple(ids[cut])
            found.append(
                Shard(key=_key(unit, samples, data), unit=unit, place=place, samples=samples)
            )
    return found


def is_what_was_planned(shard: Shard, task: "Task") -> bool:
    """Whether a task, as this machine has it, is the one that a shard was cut from."""
    return _key(shard.unit, shard.samples, _made_of(task)) == shard.key


def _check_user(unit: Unit, task: "Task") -> None:
    """Refuse conversations without a user, which would each fail."""
    in_conversation = any((sample.metadata or {}).get("mode") == "conv" for sample in task.dataset)
    if in_conversation and "user" not in unit.roles:
        raise UsageError(
            f"roles: {unit.task} in conversation needs a model for the user; add "
            "`roles: {user: MODEL}` (policy/user works offline)"
        )


def _samples(task: "Task") -> list[str]:
    """Return the samples of a task, in the order of their hashes."""
    return sorted((str(sample.id) for sample in task.dataset), key=_hash)


def _made_of(task: "Task") -> Any:
    """Return what decides the samples of a task besides its arguments."""
    metadata = task.metadata or {}
    data = {name: metadata.get(name) for name in ("packs", "data", "bfcl_eval_sha256")}
    return {"version": metadata.get("full_task_version", task.version), "data": data}


def _key(unit: Unit, samples: Sequence[str], data: Any) -> str:
    identity = unit.model_dump(mode="json", exclude={"parameters", "variant"})
    for player in (identity["model"], *identity["roles"].values()):
        # Where a model is served, and how much of it at once, decides no episode.
        player.pop("base_url")
        player["generation"].pop("max_connections", None)
    return content_key({"unit": identity, "samples": samples, "made_of": data})


def _hash(sample: str) -> str:
    return sha256(sample.encode()).hexdigest()


def _slug(name: str) -> str:
    """Return a name as a folder's, still of its own where it is long or has other letters."""
    plain = re.sub(r"[^A-Za-z0-9.=_-]+", "_", name).strip("._")
    if name.isascii() and 0 < len(plain) <= _LONGEST_FOLDER:
        return plain
    return f"{plain[:_LONGEST_FOLDER]}-{_hash(name)[:8]}".lstrip("-")
