"""Scenarios: what is asked, of which state, and how the end is judged."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    field_validator,
    model_validator,
)

from envscaler_eval.check_code import check_function
from envscaler_eval.state import require_plain


def _plain(state: dict[str, Any]) -> dict[str, Any]:
    require_plain(state)
    return state


PlainState = Annotated[dict[str, Any], AfterValidator(_plain)]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\-]+$")]


class Frozen(BaseModel):
    """Base of the project's data: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(Frozen):
    """One call of a tool.

    Attributes:
        name: The tool.
        arguments: Its arguments by name.
        free_text: Arguments whose wording is free, so that no check can expect
            it. Only meaningful in solutions, where the audit reads it.
    """

    name: str
    arguments: dict[str, JsonValue] = {}
    free_text: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _free_text_names_arguments(self) -> "ToolCall":
        for name in self.free_text:
            if name not in self.arguments:
                raise ValueError(f"free_text names '{name}', which is no argument of the call")
        return self


class Check(Frozen):
    """A yes-or-no question about the initial and the final state.

    Attributes:
        about: What it asks, for people.
        kind: A `goal` is false at the start and must become true; a `guard` is
            true at the start and must stay true.
        code: Source of one function over (initial, final) that returns a bool.
    """

    about: str = Field(min_length=1)
    kind: Literal["goal", "guard"]
    code: str

    @field_validator("code")
    @classmethod
    def _code_defines_one_check(cls, code: str) -> str:
        check_function(code)
        return code


class SimulatedUser(Frozen):
    """How the user of the conversational mode behaves.

    Attributes:
        persona: Who they are and how they write.
        held_back: Excerpts of the task that are told last, or when asked for.
    """

    persona: str = ""
    held_back: tuple[str, ...] = ()


class Rejection(Frozen):
    """Calls that break a business rule, of which the last one is refused.

    Attributes:
        rule: The rule's position among the environment's rules, from 1.
        state: The initial state.
        now: Date and time at the start.
        calls: The calls; all but the last succeed.
    """

    rule: int = Field(ge=1)
    state: PlainState
    now: str
    calls: tuple[ToolCall, ...] = Field(min_length=1)


class Scenario(Frozen):
    """A task in an environment, with the means to judge and to solve it.

    Attributes:
        id: Unique in its pack.
        env: Id of the environment.
        state: The initial state; each key becomes an attribute of the
            environment. Not to be modified.
        now: Date and time at the start, ISO 8601 without zone, read as UTC.
        task: What the user wants.
        checks: The checklist. Empty for imported scenarios without checks,
            which are not graded.
        may_change: Places that may change in addition to those that the
            solution changes: JSON pointers, `*` any key, `+` any new record.
        solution: The reference solution.
        alternatives: Other solutions that deserve the full reward.
        user: The user of the conversational mode.
        tags: Free labels such as `easy` or `refusal`.
        collateral: Whether the implicit guard (nothing else changed) is on. Off
            for imported data, whose reward must stay the published one.
    """

    id: Identifier
    env: str
    state: PlainState
    now: str
    task: str = Field(min_length=1)
    checks: tuple[Check, ...] = ()
    may_change: tuple[str, ...] = ()
    solution: tuple[ToolCall, ...] = ()
    alternatives: tuple[tuple[ToolCall, ...], ...] = ()
    user: SimulatedUser = SimulatedUser()
    tags: tuple[str, ...] = ()
    collateral: bool = True

    @property
    def name(self) -> str:
        """The scenario's full name, `env/scenario`."""
        return f"{self.env}/{self.id}"

    @field_validator("now")
    @classmethod
    def _now_is_naive_iso(cls, now: str) -> str:
        try:
            moment = datetime.fromisoformat(now)
        except ValueError:
            raise ValueError(f"now is '{now}'; write it as 2026-03-09T08:30:00") from None
        if moment.tzinfo is not None:
            raise ValueError(f"now is '{now}'; leave the time zone out, it is read as UTC")
        return now

    @field_validator("may_change")
    @classmethod
    def _pointers_start_with_a_slash(cls, pointers: tuple[str, ...]) -> tuple[str, ...]:
        for pointer in pointers:
            if not pointer.startswith("/"):
                raise ValueError(f"may_change entry '{pointer}' must start with '/'")
        return pointers

    @model_validator(mode="after")
    def _checklist_can_be_earned(self) -> "Scenario":
        goals = sum(check.kind == "goal" for check in self.checks)
        if self.collateral and self.checks:
            if goals == 0:
                raise ValueError("has no goal; add a check that the request makes true")
            if 2 * goals < len(self.checks):
                raise ValueError(
                    f"has {goals} goals among {len(self.checks)} checks; "
                    "make at least half of the checks goals"
                )
        for excerpt in self.user.held_back:
            if excerpt not in self.task:
                raise ValueError(f"held_back '{excerpt}' does not occur in the task")
        return self
