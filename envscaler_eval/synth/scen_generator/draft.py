"""Drafts: what a scenario asks, of which state, and how its end is judged."""

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from envscaler_eval.check_code import check_function
from envscaler_eval.scenario import Check, Frozen, Scenario, SimulatedUser, ToolCall
from envscaler_eval.synth.answer import AnswerModel
from envscaler_eval.synth.skel_builder.trial import Start

Kind = Literal["several_parts", "conditional", "aggregate", "corrective", "refusal", "short"]
"""What makes a task hard, or easy."""

FEWEST_WORDS, MOST_WORDS = 25, 180


class Request(AnswerModel):
    """A task, as a user would put it.

    Attributes:
        id: A short name.
        task: The request, in the user's words.
        outcome: What is true of the data when it is done, a sentence each.
        untouched: What must still be true, though a careless agent might break it.
        persona: Who asks, and how they write.
        held_back: Excerpts of the task that they would mention only when asked.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{4,50}$")
    task: str
    outcome: tuple[str, ...] = Field(min_length=1)
    untouched: tuple[str, ...]
    persona: str = Field(min_length=1)
    held_back: tuple[str, ...]

    @field_validator("task")
    @classmethod
    def _is_neither_a_hint_nor_a_novel(cls, task: str) -> str:
        words = len(task.split())
        if not FEWEST_WORDS <= words <= MOST_WORDS:
            raise ValueError(f"has {words} words; write {FEWEST_WORDS} to {MOST_WORDS}")
        return task

    @model_validator(mode="after")
    def _excerpts_are_in_the_task(self) -> "Request":
        for excerpt in self.held_back:
            if excerpt not in self.task:
                raise ValueError(f"held_back '{excerpt}' does not occur in the task word by word")
        return self


class ChecklistItem(AnswerModel):
    """A yes-or-no question about the end."""

    about: str = Field(min_length=5)
    kind: Literal["goal", "guard"]


class FreeText(AnswerModel):
    """An argument of a tool whose wording is the agent's to choose."""

    tool: str
    argument: str


class Checklist(AnswerModel):
    """What to ask of the end, and what cannot be asked.

    Attributes:
        items: The questions.
        free_text: Arguments that no question can be about.
    """

    items: tuple[ChecklistItem, ...] = Field(min_length=2, max_length=12)
    free_text: tuple[FreeText, ...]

    @field_validator("items")
    @classmethod
    def _at_least_half_are_goals(
        cls, items: tuple[ChecklistItem, ...]
    ) -> tuple[ChecklistItem, ...]:
        goals = sum(item.kind == "goal" for item in items)
        if 2 * goals < len(items):
            raise ValueError(f"has {goals} goals among {len(items)}; at least half must be goals")
        return items


class CheckCode(AnswerModel):
    """The functions of a checklist, in its order."""

    codes: tuple[str, ...]

    @field_validator("codes")
    @classmethod
    def _each_defines_a_check(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        for number, code in enumerate(codes, start=1):
            try:
                check_function(code)
            except ValueError as fault:
                raise ValueError(f"function {number}: {fault}") from None
        return codes


class Draft(Frozen):
    """A scenario that has not been solved yet.

    Attributes:
        env: The environment's id.
        start: The state and the moment.
        request: The task.
        checks: How the end is judged.
        free_text: Arguments whose wording is free.
        kind: What the request was to be like.
    """

    env: str
    start: Start
    request: Request
    checks: tuple[Check, ...]
    free_text: tuple[FreeText, ...]
    kind: Kind

    @property
    def name(self) -> str:
        """What to call it among all questions: `env/scenario`."""
        return f"{self.env}/{self.request.id}"

    def scenario(self, solution: tuple[ToolCall, ...] = ()) -> Scenario:
        """Return it as a scenario."""
        return Scenario(
            id=self.request.id,
            env=self.env,
            state=self.start.state,
            now=self.start.now,
            task=self.request.task,
            checks=self.checks,
            solution=tuple(map(self._marked, solution)),
            user=SimulatedUser(persona=self.request.persona, held_back=self.request.held_back),
        )

    def _marked(self, call: ToolCall) -> ToolCall:
        free = tuple(
            item.argument
            for item in self.free_text
            if item.tool == call.name and item.argument in call.arguments
        )
        return call.model_copy(update={"free_text": free})


def quoted_ids(task: str) -> list[str]:
    """Return what looks like keys of records in a text: `BK-104`, `EV_7`."""
    return re.findall(r"\b[A-Z]{1,6}[-_]?\d[\w-]*\b", task)
