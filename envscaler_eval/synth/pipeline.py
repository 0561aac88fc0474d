"""Stages over many items: recorded once, limited in number, none stopping another."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.answers import Answers
from envscaler_eval.synth.artefacts import Records, content_key
from envscaler_eval.synth.asking import Asker
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.outcome import Dropped, Unfinished
from envscaler_eval.synth.step import Step
from envscaler_eval.synth.watching import NobodyWatches, Watcher

Made = TypeVar("Made", bound=BaseModel)
Given = TypeVar("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Stage(Generic[Made]):
    """A part of the way, whose outcome is recorded for each item.

    Attributes:
        name: Unique among stages; names the collection, `stage_NAME`.
        made: What an item that is kept has become.
        steps: The steps that it asks. With their prompts and models, they are part
            of an outcome's key.
        settings: What else decides the outcome, as JSON data.
    """

    name: str
    made: type[Made]
    steps: tuple[Step[Any], ...] = ()
    settings: tuple[Any, ...] = ()

    @property
    def collection(self) -> str:
        """The collection of its outcomes."""
        return f"stage_{self.name}"

    @cached_property
    def fingerprint(self) -> list[Any]:
        """All that decides an outcome but the item and the models, as JSON data."""
        asked = [step.fingerprint for step in self.steps]
        return [self.name, self.made.model_json_schema(), asked, _plain(self.settings)]


@dataclass
class Run:
    """A run of a pipeline in a folder.

    Attributes:
        artefacts: What has been made.
        models: Who answers.
        concurrency: How many items are worked on at once.
        watcher: Who hears of it.
        unfinished: What failed for a reason outside of the item, by stage and item.
    """

    artefacts: Records
    models: Models
    concurrency: int = 10
    watcher: Watcher = field(default_factory=NobodyWatches)
    unfinished: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make what asks."""
        answers = Answers(self.artefacts, self.models, self.watcher)
        self.ask = Asker(self.artefacts, answers, self.watcher).ask

    async def stage(
        self,
        stage: Stage[Made],
        item: str,
        inputs: Any,
        work: Callable[[], Awaitable[Made]],
    ) -> Made:
        """Take an item through a stage, or through what is recorded of it.

        Args:
            stage: The stage.
            item: The item's name, stable from run to run.
            inputs: All that the work depends on, as JSON data or models.
            work: Makes the outcome, or raises `Dropped` or `Unfinished`.

        Raises:
            Dropped: The item is not good enough, now or when it was recorded.
            Unfinished: The work failed for another reason, its own faults included.
        """
        self.watcher.entered(stage.name)
        models = [self.models.name(step.role) for step in stage.steps]
        key = content_key(stage.fingerprint, models, item, _plain(inputs))
        record = self.artefacts.get(stage.collection, key)
        if record is None:
            record = await self._outcome(item, work)
            if record["status"] == "unfinished":
                self.unfinished[stage.name, item] = record["reason"]
            else:
                self.artefacts.put(stage.collection, key, record)
        self.watcher.left(stage.name, record)
        match record["status"]:
            case "kept":
                # From text, since strict models take no lists for tuples else.
                return stage.made.model_validate_json(json.dumps(record["value"]))
            case "dropped":
                raise Dropped(record["reason"])
            case _:
                raise Unfinished(record["reason"])

    async def each(
        self, items: Sequence[Given], way: Callable[[Given], Awaitable[Result]]
    ) -> list[tuple[Given, Result]]:
        """Take items along a way of stages, several at once.

        Args:
            items: The items.
            way: What to do with each. What it raises ends the way of that item only.

        Returns:
            The items that were kept to the end, with what they became, in order.

        Raises:
            UsageError: The run cannot go on at all, for want of a model for instance.
        """
        places = asyncio.Semaphore(self.concurrency)

        async def along(item: Given) -> list[tuple[Given, Result]]:
            async with places:
                try:
                    return [(item, await way(item))]
                except (Dropped, Unfinished):
                    return []

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(along(item)) for item in items]
        except* UsageError as faults:
            raise _first(faults) from None
        return [pair for task in tasks for pair in task.result()]

    async def _outcome(self, item: str, work: Callable[[], Awaitable[BaseModel]]) -> dict[str, Any]:
        try:
            value = (await work()).model_dump(mode="json")
            return {"item": item, "status": "kept", "value": value}
        except Dropped as reason:
            return {"item": item, "status": "dropped", "reason": str(reason)}
        except Unfinished as reason:
            return {"item": item, "status": "unfinished", "reason": str(reason)}
        except UsageError:
            raise
        except Exception as fault:
            told = f"{type(fault).__name__}: {' '.join(str(fault).split())}"
            return {"item": item, "status": "unfinished", "reason": told}


class RecordedRun(Run):
    """A run that takes items through what is recorded of them, and asks and makes nothing.

    An item that comes to something else is unfinished.
    """

    async def _outcome(self, item: str, work: Callable[[], Awaitable[BaseModel]]) -> dict[str, Any]:
        return {"item": item, "status": "unfinished", "reason": "it has not been made"}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


async def gathered(*works: Awaitable[Result]) -> list[Result]:
    """Wait for all of several works, and only then raise what the first to fail raised.

    So whatever the others have asked for meanwhile is answered and recorded.

    Raises:
        UsageError: One of them cannot go on at all.
        Dropped: One of them was dropped.
        Unfinished: One of them failed for another reason.
    """
    results = await asyncio.gather(*works, return_exceptions=True)
    faults = [result for result in results if isinstance(result, BaseException)]
    # What ends a run comes before what ends an item, and that before what is tried again.
    for kind in (UsageError, Dropped, BaseException):
        for fault in faults:
            if isinstance(fault, kind):
                raise fault
    return [result for result in results if not isinstance(result, BaseException)]


def _first(faults: BaseExceptionGroup[UsageError]) -> UsageError:
    first = faults.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
