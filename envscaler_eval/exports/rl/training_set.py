"""The scenarios to train on, ready to be played."""

from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl.rollout import RlTask, Rollout
from envscaler_eval.exports.rl.settings import RlSettings
from envscaler_eval.exports.training_envs import refuse_test_environments
from envscaler_eval.isolation import IsolationPolicy, limits_of
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import Runtime
from envscaler_eval.tasks.dataset import select_packs


class TrainingSet:
    """What settings select, read and admitted once, and played as often as wanted."""

    def __init__(self, settings: RlSettings) -> None:
        """Read the packs.

        Args:
            settings: What to select, and by which rules it is played.

        Raises:
            UsageError: A pack is unknown, faulty, of the test split or not to be
                run here, or nothing is left.
        """
        self.settings = settings
        # The library's own split decides when nothing is named.
        everything = bool(settings.envs) or settings.include_test
        self.packs = tuple(select_packs(settings.envs, None if everything else "train"))
        if not settings.include_test:
            refuse_test_environments((pack.info.id, pack.info.split) for pack in self.packs)
        _refuse_namesakes(self.packs)
        for pack in self.packs:
            _require_hash(pack, settings.pack_hashes.get(pack.info.id, pack.hash))
        self._policy = IsolationPolicy(
            settings.isolation, settings.allow_weak_isolation, limits_of(settings.limits)
        )
        for pack in self.packs:
            self._policy.admit(pack)
        self.tasks = self._select()
        self._by_name = {task.name: task for task in self.tasks}

    def start(self, name: str, seed: int | None = None) -> Rollout:
        """Start a rollout.

        Args:
            name: The task's name.
            seed: Fixes the environment's chance; by default as in the settings.

        Raises:
            UsageError: There is no such task.
            EnvironmentFault: The environment does not start.
        """
        task = self.task(name)
        settings = self.settings
        if seed is not None:
            settings = settings.model_copy(update={"seed": seed})
        return Rollout(task, self._runtimes[task.pack.info.id], settings)

    def task(self, name: str) -> RlTask:
        """Return a task by its name.

        Raises:
            UsageError: There is none.
        """
        if name not in self._by_name:
            raise UsageError(
                f"there is no '{name}' to train on; the names are like '{self.tasks[0].name}'"
            )
        return self._by_name[name]

    @cached_property
    def _runtimes(self) -> dict[str, Runtime]:
        return {pack.info.id: self._policy.runtime(pack) for pack in self.packs}

    def _select(self) -> tuple[RlTask, ...]:
        settings = self.settings
        tasks = [
            RlTask(pack, scenario, mode)
            for pack in self.packs
            for scenario in pack.scenarios
            if scenario.checks and set(settings.tags) <= set(scenario.tags)
            for mode in settings.modes
        ]
        if settings.samples is not None:
            unknown = sorted(set(settings.samples) - {task.name for task in tasks})
            if unknown:
                raise UsageError(
                    f"of the samples asked for, {len(unknown)} are not in what is exported, "
                    f"'{unknown[0]}' first; name their environments and mode too"
                )
            wanted = set(settings.samples)
            tasks = [task for task in tasks if task.name in wanted]
        if not tasks:
            names = ", ".join(pack.info.id for pack in self.packs)
            lacking = f"carries the tags {', '.join(settings.tags)}" if settings.tags else "is left"
            raise UsageError(f"no scenario with checks of {names} {lacking}")
        return tuple(tasks)


def _refuse_namesakes(packs: Iterable[Pack]) -> None:
    """Refuse packs of one id: a task's name must tell what is played."""
    folders: dict[str, Path] = {}
    for pack in packs:
        other = folders.setdefault(pack.info.id, pack.folder)
        if other != pack.folder:
            raise UsageError(
                f"{other} and {pack.folder} are both '{pack.info.id}'; name one of them"
            )


def _require_hash(pack: Pack, wanted: str) -> None:
    if pack.hash != wanted:
        raise UsageError(
            f"pack '{pack.info.id}' is not the one that was exported: its hash is "
            f"{pack.hash[:12]}, the export has {wanted[:12]}; export again"
        )


def training_set(settings: RlSettings) -> TrainingSet:
    """Return the training set of settings, read once in a process."""
    return _training_set(settings.model_dump_json())


@cache
def _training_set(settings: str) -> TrainingSet:
    return TrainingSet(RlSettings.model_validate_json(settings))
