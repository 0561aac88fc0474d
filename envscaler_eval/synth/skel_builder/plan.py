"""Planning: what a system stores, which rules hold, and what can be done with it."""

import keyword
from typing import Literal

from pydantic import Field, field_validator, model_validator

from envscaler_eval.scenario import Frozen
from envscaler_eval.synth.answer import AnswerFault, AnswerModel
from envscaler_eval.synth.pipeline import Run, Stage
from envscaler_eval.synth.skel_builder.mining import Topic
from envscaler_eval.synth.step import Step

_PACKAGE = "envscaler_eval.synth.skel_builder"
_SNAKE = r"^[a-z][a-z0-9_]*$"
_CAMEL = r"^[A-Z][A-Za-z0-9]*$"


class Attribute(AnswerModel):
    """A value of a record, or of the system itself.

    Attributes:
        name: Its name.
        type: A Python annotation of plain data.
        about: What it means; units and format.
        refers_to: The container whose keys it holds, if it does.
    """

    name: str = Field(pattern=_SNAKE)
    type: str = Field(min_length=1)
    about: str = Field(min_length=1)
    refers_to: str | None


class Entity(AnswerModel):
    """A kind of record.

    Attributes:
        name: The name of its type.
        container: The attribute of the environment that maps keys to such records.
        key: What the keys are, with an example.
        about: What such a record stands for.
        attributes: Its values.
    """

    name: str = Field(pattern=_CAMEL)
    container: str = Field(pattern=_SNAKE)
    key: str = Field(min_length=1)
    about: str = Field(min_length=1)
    attributes: tuple[Attribute, ...] = Field(min_length=1)


class StatePlan(AnswerModel):
    """What a system stores, and its rules.

    Attributes:
        class_name: The environment's class.
        entities: The kinds of record.
        values: Single values, such as counters for new keys.
        rules: Business rules, which the tools will enforce.
    """

    class_name: str = Field(pattern=_CAMEL)
    entities: tuple[Entity, ...] = Field(min_length=2)
    values: tuple[Attribute, ...]
    rules: tuple[str, ...] = Field(min_length=3, max_length=8)

    @field_validator("rules")
    @classmethod
    def _rules_are_sentences(cls, rules: tuple[str, ...]) -> tuple[str, ...]:
        for number, rule in enumerate(rules, start=1):
            if len(rule.split()) < 4:
                raise ValueError(f"rule {number} is too short to be understood")
        return rules

    @model_validator(mode="after")
    def _names_fit_together(self) -> "StatePlan":
        types = [self.class_name, *(entity.name for entity in self.entities)]
        attributes = [e.container for e in self.entities] + [v.name for v in self.values]
        for kind, names in (("type", types), ("attribute", attributes)):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"the {kind} name '{name}' is used twice")
                if keyword.iskeyword(name):
                    raise ValueError(f"'{name}' is a word of Python")
        for entity in self.entities:
            for attribute in entity.attributes:
                if attribute.refers_to not in (None, *self.containers):
                    raise ValueError(
                        f"{entity.name}.{attribute.name} refers to '{attribute.refers_to}', "
                        f"which is no container; there are {', '.join(self.containers)}"
                    )
        return self

    @property
    def containers(self) -> list[str]:
        """The attributes that hold records."""
        return [entity.container for entity in self.entities]


class Operation(AnswerModel):
    """Something that can be done with the system: a tool.

    Attributes:
        name: The tool's name.
        kind: `query` reads, `state_change` also writes.
        about: What it does, takes and returns.
        enforces: The rules, by their numbers from 1, that it enforces.
    """

    name: str = Field(pattern=_SNAKE)
    kind: Literal["query", "state_change"]
    about: str = Field(min_length=10)
    enforces: tuple[int, ...]


class OperationPlan(AnswerModel):
    """The tools of a system."""

    operations: tuple[Operation, ...]


class Plan(Frozen):
    """A topic, thought through."""

    topic: Topic
    state: StatePlan
    operations: tuple[Operation, ...]


PLAN_STATE = Step("plan_state", "planner", StatePlan, _PACKAGE)
PLAN_OPERATIONS = Step("plan_operations", "planner", OperationPlan, _PACKAGE)


def plans(fewest: int, most: int) -> Stage[Plan]:
    """Return the stage, for plans of so many tools."""
    return Stage("plans", Plan, (PLAN_STATE, PLAN_OPERATIONS), (fewest, most))


async def plan(run: Run, topic: Topic, fewest: int, most: int) -> Plan:
    """Plan a system.

    Args:
        run: The run.
        topic: What to plan.
        fewest: The least number of tools.
        most: The greatest number of tools.

    Raises:
        Dropped: No answer was usable.
        Unfinished: A provider failed.
    """

    async def work() -> Plan:
        state = await run.ask(PLAN_STATE, topic.id, topic=topic)
        found = await run.ask(
            PLAN_OPERATIONS,
            topic.id,
            lambda answer: require_workable(answer.operations, state, fewest, most),
            topic=topic,
            state=state,
            fewest=fewest,
            most=most,
        )
        return Plan(topic=topic, state=state, operations=found.operations)

    return await run.stage(plans(fewest, most), topic.id, topic, work)


def require_workable(
    operations: tuple[Operation, ...], state: StatePlan, fewest: int, most: int
) -> None:
    """Refuse tools that cannot make up a system.

    Raises:
        AnswerFault: Tells why.
    """
    names = [operation.name for operation in operations]
    if not fewest <= len(names) <= most:
        raise AnswerFault(f"there are {len(names)} operations; give {fewest} to {most}")
    for name in names:
        if names.count(name) > 1:
            raise AnswerFault(f"the operation '{name}' is there twice")
        if keyword.iskeyword(name) or name in (*state.containers, *(v.name for v in state.values)):
            raise AnswerFault(f"an operation cannot be called '{name}'; choose another name")
    kinds = [operation.kind for operation in operations]
    for kind in ("query", "state_change"):
        if kinds.count(kind) < 2:
            raise AnswerFault(f"there are fewer than two operations of kind {kind}")
    enforced = {rule for o in operations if o.kind == "state_change" for rule in o.enforces}
    known = set(range(1, len(state.rules) + 1))
    if unknown := {rule for operation in operations for rule in operation.enforces} - known:
        raise AnswerFault(f"there is no rule {min(unknown)}; there are rules 1 to {len(known)}")
    if idle := known - enforced:
        raise AnswerFault(
            f"no state_change operation enforces rule {min(idle)} "
            f"({state.rules[min(idle) - 1]}); name it under `enforces` where it belongs"
        )
