"""SkelBuilder: from plain tasks to environment programs that have been assessed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pack_folders import write_packs
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.skel_builder.assessing import AssessmentRules
from envscaler_eval.synth.skel_builder.coding import PROGRAMS, write_program
from envscaler_eval.synth.skel_builder.mining import Topic, mine
from envscaler_eval.synth.skel_builder.plan import plan, plans
from envscaler_eval.synth.skel_builder.selection import SelectionRules, select
from envscaler_eval.synth.skel_builder.skeleton import Skeleton, prove, skeletons
from envscaler_eval.synth.skel_builder.task import Task
from envscaler_eval.synth.skel_builder.trial import as_pack

ORDER = ("stateful", "topics", "selected", "plans", "programs", "skeletons")
"""The stages, in their order."""


@dataclass(frozen=True)
class SkelBuilder:
    """How environments are built.

    Attributes:
        selection: How topics are chosen.
        fewest_tools: The least number of tools of an environment.
        most_tools: The greatest number of tools.
        assessment: How much is tested, and what is good enough.
        isolation: How programs run.
    """

    selection: SelectionRules = field(default_factory=SelectionRules)
    fewest_tools: int = 8
    most_tools: int = 24
    assessment: AssessmentRules = field(default_factory=AssessmentRules)
    isolation: IsolationPolicy = field(default_factory=IsolationPolicy)

    @property
    def stages(self) -> tuple[Stage[Any], ...]:
        """The stages through which an environment goes once its topic is chosen."""
        return plans(self.fewest_tools, self.most_tools), PROGRAMS, skeletons(self.assessment)

    async def build(self, run: Run, tasks: Sequence[Task]) -> list[Skeleton]:
        """Build environments from tasks.

        Args:
            run: The run.
            tasks: The tasks.

        Returns:
            The environments that were kept.

        Raises:
            UsageError: The run cannot go on, for want of a model or of isolation.
        """
        return await self.make_all(run, await self.choose(run, tasks))

    async def choose(self, run: Run, tasks: Sequence[Task]) -> list[Topic]:
        """Return the topics of the environments to make of tasks.

        Raises:
            UsageError: The run cannot go on, for want of a model.
        """
        return await self._select(run, await run.each(tasks, lambda task: mine(run, task)))

    async def make_all(self, run: Run, topics: Sequence[Topic]) -> list[Skeleton]:
        """Build the environments of topics, and return those that were kept.

        Raises:
            UsageError: The run cannot go on, for want of a model or of isolation.
        """
        return [made for _, made in await run.each(topics, lambda topic: self.make(run, topic))]

    async def make(self, run: Run, topic: Topic) -> Skeleton:
        """Build the environment of a topic.

        Raises:
            Dropped: It is not good enough.
            Unfinished: A provider failed.
        """
        planned = await plan(run, topic, self.fewest_tools, self.most_tools)
        program = await write_program(run, planned)
        return await prove(run, program, self.assessment, self.isolation)

    async def _select(self, run: Run, mined: Sequence[tuple[Task, Topic]]) -> list[Topic]:
        selection = select([topic for _, topic in mined], self.selection)
        chosen = {topic.id: topic for topic in selection.chosen}
        stage = Stage("selected", Topic)

        async def decide(at: int) -> Topic:
            task, topic = mined[at]
            refused = selection.refused.get(at)

            async def work() -> Topic:
                if refused is not None:
                    raise Dropped(refused)
                return chosen[topic.id]

            outcome = refused or chosen[topic.id].model_dump(mode="json")
            return await run.stage(stage, task.id, [topic, outcome], work)

        return [topic for _, topic in await run.each(range(len(mined)), decide)]


def write_skeletons(skeletons: Sequence[Skeleton], folder: Path) -> list[Path]:
    """Write environments as packs without scenarios, over those of an earlier run.

    Args:
        skeletons: The environments.
        folder: Where their folders go.

    Returns:
        Their folders.
    """
    return write_packs([skeleton_pack(skeleton) for skeleton in skeletons], folder)


def skeleton_pack(skeleton: Skeleton) -> Pack:
    """Return an environment as a pack without scenarios, with the proofs of its rules."""
    pack = as_pack(skeleton.program, rejections=skeleton.assessment.rejections)
    return replace(pack, scenarios=())
