"""Mining: which tasks need a stateful system, and which system that would be."""

import re

from pydantic import Field

from envscaler_eval.scenario import Frozen
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.skel_builder.task import Task
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.skel_builder"


class Judgement(AnswerModel):
    """Whether a task needs a stateful system, by four criteria."""

    reason: str = Field(min_length=1)
    keeps_records: bool
    depends_on_state: bool
    specific_domain: bool
    can_be_acted_on: bool

    @property
    def failed(self) -> list[str]:
        """The criteria that the task does not meet."""
        return [name for name, value in self if value is False]


class Proposal(AnswerModel):
    """A system that a task implies."""

    title: str = Field(min_length=3, max_length=60)
    introduction: str = Field(min_length=80, max_length=900)
    domain: str = Field(pattern=r"^[a-z][a-z_ ]+$")
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10)


class Topic(Frozen):
    """An environment to be built.

    Attributes:
        id: From the title.
        title: A short name.
        introduction: What the system is, a few sentences that name no task.
        domain: The field of life.
        usefulness: From 1 to 10, how much people rely on such systems.
        modelability: From 1 to 10, how well a program of plain data can be it.
        tasks: The tasks that imply it.
    """

    id: str
    title: str
    introduction: str
    domain: str
    usefulness: int
    modelability: int
    tasks: tuple[str, ...]


JUDGE_STATEFUL = Step("judge_stateful", "miner", Judgement, _PACKAGE)
INFER_TOPIC = Step("infer_topic", "miner", Proposal, _PACKAGE)

STATEFUL = Stage("stateful", Judgement, (JUDGE_STATEFUL,))
TOPICS = Stage("topics", Topic, (INFER_TOPIC,))


async def mine(run: Run, task: Task) -> Topic:
    """Return the topic that a task implies.

    Raises:
        Dropped: The task needs no stateful system, or no answer was usable.
        Unfinished: A provider failed.
    """

    async def judge() -> Judgement:
        judgement = await run.ask(JUDGE_STATEFUL, task.id, task=task.text)
        if judgement.failed:
            raise Dropped(f"not {', not '.join(judgement.failed)}: {judgement.reason}")
        return judgement

    async def infer() -> Topic:
        def about_the_system_alone(proposal: Proposal) -> None:
            if task.text.lower() in proposal.introduction.lower():
                raise AnswerFault(
                    "the introduction quotes the task; describe the system without it"
                )
            if not topic_id(proposal.title):
                raise AnswerFault("title: holds no letters; give the system a plain name")

        found = await run.ask(INFER_TOPIC, task.id, about_the_system_alone, task=task.text)
        told = found.model_dump()
        return Topic(id=topic_id(found.title), tasks=(task.text,), **told)

    await run.stage(STATEFUL, task.id, task, judge)
    return await run.stage(TOPICS, task.id, task, infer)


def topic_id(title: str) -> str:
    """Return a title as an identifier."""
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
