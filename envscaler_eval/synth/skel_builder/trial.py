"""Trials: a program run for a few calls, in isolation, and what was seen."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator

from envscaler_eval.environment import Environment
from envscaler_eval.episode import CallStatus, Episode
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack, PackInfo
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Frozen, Rejection, Scenario, ToolCall
from envscaler_eval.state import Change, State, canonical, changes
from envscaler_eval.synth.answer import AnswerModel
from envscaler_eval.synth.skel_builder.coding import Program

_LONGEST_VALUE = 400
_MOST_CHANGES = 30


class Start(AnswerModel):
    """A situation in which a system may be found.

    Attributes:
        about: What is particular about it.
        now: The moment, ISO 8601 without zone.
        state: The state.
    """

    about: str = Field(min_length=1)
    now: str
    state: dict[str, JsonValue]

    @field_validator("now")
    @classmethod
    def _is_a_moment(cls, now: str) -> str:
        Scenario(id="start", env="start", state={}, now=now, task="Look.")
        return now


class Call(AnswerModel):
    """A call of a tool."""

    tool: str
    arguments: dict[str, JsonValue]

    @property
    def made(self) -> ToolCall:
        """The call as an episode knows it."""
        return ToolCall(name=self.tool, arguments=self.arguments)


class Case(AnswerModel):
    """A test of one tool.

    Attributes:
        kind: `positive` is ordinary use, `boundary` on the edge of what is allowed,
            `negative` must be refused.
        why: What it is to show.
        before: Calls that bring about the situation for it.
        arguments: Of the call that is tested.
        expects: What the tool should answer.
        breaks_rule: The rule that the call breaks, by its number from 1.
    """

    kind: Literal["positive", "boundary", "negative"]
    why: str = Field(min_length=1)
    before: tuple[Call, ...]
    arguments: dict[str, JsonValue]
    expects: Literal["success", "refusal"]
    breaks_rule: int | None


class Seen(Frozen):
    """What a call did.

    Attributes:
        call: The call.
        status: How it ended.
        observation: What it answered.
        changes: What it changed, as text.
        faults: What no call may do and this one did.
    """

    call: ToolCall
    status: CallStatus
    observation: str
    changes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trials:
    """A program that can be tried out.

    Attributes:
        program: The program.
        pack: It as a pack.
        runtime: Where it runs.
    """

    program: Program
    pack: Pack
    runtime: Runtime

    @classmethod
    def of(cls, program: Program, isolation: IsolationPolicy) -> "Trials":
        """Prepare to run a program in a confined process.

        Raises:
            UsageError: This machine cannot isolate.
        """
        pack = as_pack(program)
        return cls(program, pack, isolation.runtime(pack))

    def state(self, start: Start) -> State:
        """Return the state that the program has in a situation.

        Raises:
            EnvironmentFault: It does not start.
        """
        with Episode(as_scenario(self.pack, start), self.runtime) as episode:
            return episode.state()

    def play(self, start: Start, calls: Sequence[ToolCall]) -> list[Seen]:
        """Make calls in a situation, until one breaks the environment.

        Args:
            start: The situation.
            calls: The calls.
        """
        seen: list[Seen] = []
        kinds = {operation.name: operation.kind for operation in self.program.plan.operations}
        try:
            with Episode(as_scenario(self.pack, start), self.runtime) as episode:
                before = episode.state()
                for call in calls:
                    observation = episode.call(call.name, call.arguments)
                    status = episode.calls[-1].status
                    seen.append(Seen(call=call, status=status, observation=observation))
                    after = episode.state()
                    found = changes(before, after) if canonical(before) != canonical(after) else []
                    seen[-1] = seen[-1].model_copy(
                        update={
                            "changes": _shown(found, before, after),
                            "faults": tuple(
                                _faults(kinds.get(call.name), status, observation, bool(found))
                            ),
                        }
                    )
                    before = after
        except (EnvironmentFault, ValueError) as fault:
            if not seen:
                raise
            seen[-1] = seen[-1].model_copy(update={"faults": (*seen[-1].faults, str(fault))})
        return seen


def as_pack(
    program: Program, starts: Sequence[Start] = (), rejections: Sequence[Rejection] = ()
) -> Pack:
    """Return a program as a pack whose scenarios only look at its situations."""
    topic, state = program.plan.topic, program.plan.state
    info = PackInfo(
        id=topic.id,
        title=topic.title,
        introduction=topic.introduction,
        rules=state.rules,
        class_name=state.class_name,
        domain=topic.domain,
        split="train",
        licence="MIT",
        canary=f"envscaler-eval:{topic.id}:{uuid.uuid5(uuid.NAMESPACE_OID, program.source)}",
        provenance=topic.tasks,
    )
    environment = Environment(
        id=topic.id,
        title=topic.title,
        introduction=topic.introduction,
        rules=state.rules,
        class_name=state.class_name,
        source=program.source,
    )
    pack = Pack(Path(topic.id), info, environment, (), tuple(rejections))
    scenarios = tuple(
        as_scenario(pack, start, f"start_{number}") for number, start in enumerate(starts, start=1)
    )
    return Pack(pack.folder, info, environment, scenarios, pack.rejections)


def as_scenario(
    pack: Pack, start: Start, name: str = "trial", solution: Sequence[ToolCall] = ()
) -> Scenario:
    """Return a situation as a scenario without checks."""
    return Scenario(
        id=name,
        env=pack.info.id,
        state=start.state,
        now=start.now,
        task="Try the tools.",
        solution=tuple(solution),
    )


def _faults(kind: str | None, status: CallStatus, observation: str, changed: bool) -> list[str]:
    faults = []
    if status == "raised":
        faults.append("it raises; a tool returns an error instead")
    elif not _answers_in_form(observation):
        faults.append("it does not return a dict with a bool under 'success'")
    if changed and kind == "query":
        faults.append("it is a query and changes the state")
    elif changed and status != "ok":
        faults.append("it fails and changes the state all the same")
    return faults


def _answers_in_form(observation: str) -> bool:
    try:
        answer = json.loads(observation)
    except ValueError:
        return False
    return isinstance(answer, dict) and isinstance(answer.get("success"), bool)


def _shown(found: Sequence[Change], before: State, after: State) -> tuple[str, ...]:
    lines = []
    for change in found[:_MOST_CHANGES]:
        old, new = _value(before, change.path), _value(after, change.path)
        match change.kind:
            case "created":
                lines.append(f"{change.pointer} was created: {new}")
            case "deleted":
                lines.append(f"{change.pointer} was deleted: {old}")
            case _:
                lines.append(f"{change.pointer} changed from {old} to {new}")
    if len(found) > _MOST_CHANGES:
        lines.append(f"and {len(found) - _MOST_CHANGES} more changes")
    return tuple(lines)


def _value(state: Any, path: Sequence[str]) -> str:
    for key in path:
        state = state[int(key)] if isinstance(state, list) else state.get(key)
        if state is None:
            break
    return json.dumps(state, ensure_ascii=False)[:_LONGEST_VALUE]
