"""ScenGenerator: from an assessed environment to a pack of proven scenarios."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack
from envscaler_eval.synth.outcome import Dropped, Unfinished
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.scen_generator.alternative import ALTERNATIVES, with_alternative
from envscaler_eval.synth.scen_generator.draft import Draft, Kind
from envscaler_eval.synth.scen_generator.drafting import DRAFTS, write_draft
from envscaler_eval.synth.scen_generator.proving import (
    ProofRules,
    Proven,
    find_solution,
    prove,
    proven,
    solved,
    unproven,
)
from envscaler_eval.synth.scen_generator.situation import states, write_state
from envscaler_eval.synth.skel_builder.skeleton import Skeleton
from envscaler_eval.synth.skel_builder.trial import Start, Trials, as_pack

ORDER = ("states", "drafts", "solved", "proven", "alternatives")
"""The stages, in their order."""

KINDS: tuple[Kind, ...] = (
    "several_parts",
    "short",
    "conditional",
    "refusal",
    "aggregate",
    "corrective",
)


@dataclass(frozen=True)
class ScenGenerator:
    """How scenarios are made.

    Attributes:
        states: How many initial states an environment gets.
        tasks: How many tasks are tried in each state.
        fewest_records: How many records a state holds at least.
        proof: How much is tried before a scenario is given up.
        isolation: How programs and checks run.
    """

    states: int = 3
    tasks: int = 4
    fewest_records: int = 20
    proof: ProofRules = field(default_factory=ProofRules)
    isolation: IsolationPolicy = field(default_factory=IsolationPolicy)

    @property
    def stages(self) -> tuple[Stage[Any], ...]:
        """The stages through which an environment's scenarios go."""
        return (
            states(self.fewest_records),
            DRAFTS,
            solved(self.proof),
            proven(self.proof),
            ALTERNATIVES,
        )

    async def generate_all(self, run: Run, skeletons: Sequence[Skeleton]) -> list[Pack]:
        """Make the packs of several environments; those without a scenario are left out.

        Args:
            run: The run.
            skeletons: The environments.

        Raises:
            UsageError: The run cannot go on, for want of a model or of isolation.
        """
        made = await run.each(skeletons, lambda skeleton: self.generate(run, skeleton))
        return [pack for _, pack in made if pack.scenarios]

    async def generate(self, run: Run, skeleton: Skeleton) -> Pack:
        """Make the scenarios of an environment.

        Args:
            run: The run.
            skeleton: The environment.

        Returns:
            The environment with the scenarios that were kept, perhaps none, and the
            proofs of its rules.

        Raises:
            UsageError: The run cannot go on, for want of a model or of isolation.
        """
        trials = Trials.of(skeleton.program, self.isolation)
        numbers = range(1, self.states + 1)
        begun = await run.each(
            numbers,
            lambda number: write_state(run, skeleton, trials, number, self.fewest_records),
        )
        places: list[tuple[Start, str, Kind]] = [
            (start, f"{skeleton.id}/state {number}/task {task}", self._kind(number, task))
            for number, start in begun
            for task in range(1, self.tasks + 1)
        ]
        drafted = await run.each(places, lambda place: write_draft(run, trials, *place))
        drafts = _named_apart([draft for _, draft in drafted])
        kept = [made for _, made in await run.each(drafts, lambda d: self._prove(run, trials, d))]
        kept = await self._with_another_way(run, trials, kept)
        pack = as_pack(skeleton.program, rejections=skeleton.assessment.rejections)
        return replace(pack, scenarios=tuple(made.scenario for made in kept))

    def _kind(self, state: int, task: int) -> Kind:
        return KINDS[((state - 1) * self.tasks + task - 1) % len(KINDS)]

    async def _prove(self, run: Run, trials: Trials, draft: Draft) -> Proven:
        try:
            found = await find_solution(run, trials, draft, self.proof)
            return await prove(run, trials, found, self.proof)
        except Dropped:
            if self.proof.accept_unsolved:
                return unproven(draft)
            raise

    async def _with_another_way(
        self, run: Run, trials: Trials, kept: Sequence[Proven]
    ) -> list[Proven]:
        """Give one scenario a second solution: the first for which one is found."""
        found = list(kept)
        for at, scenario in enumerate(found):
            if scenario.card is None:
                continue
            try:
                found[at] = await with_alternative(run, trials, scenario)
            except (Dropped, Unfinished):
                continue
            break
        return found


def _named_apart(drafts: Sequence[Draft]) -> list[Draft]:
    """Number the names that occur more than once."""
    seen: dict[str, int] = {}
    apart = []
    for draft in drafts:
        name = draft.request.id
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            request = draft.request.model_copy(update={"id": f"{name}_{seen[name]}"})
            draft = draft.model_copy(update={"request": request})
        apart.append(draft)
    return apart
