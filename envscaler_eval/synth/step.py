"""A step: one kind of question to a model."""

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Generic, Literal, TypeVar, get_args

import jinja2
from pydantic import BaseModel

Role = Literal["miner", "planner", "coder", "tester", "checker", "author"]
"""Who answers. Each role may have a model of its own."""

ROLES: tuple[Role, ...] = get_args(Role)

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True)
class Step(Generic[Answer]):
    """One kind of question.

    Attributes:
        name: Unique among steps.
        role: Who answers.
        answer: What a usable answer holds.
        package: The package whose `prompts/NAME.md` is the prompt, a Jinja template.
        attempts: How often to ask before giving up.
        temperature: Of the model; `None` leaves it to the provider.
    """

    name: str
    role: Role
    answer: type[Answer]
    package: str
    attempts: int = 3
    temperature: float | None = None

    def prompt(self, **values: Any) -> str:
        """Return the prompt with values filled in, and the form of the answer.

        Raises:
            jinja2.UndefinedError: A value is missing.
        """
        return f"{self._template.render(**values).strip()}\n\n{self._form}"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of an answer."""
        return self.answer.model_json_schema()

    @cached_property
    def closed(self) -> bool:
        """Whether the schema names every field.

        Providers that enforce schemas close each object, so that one with fields
        of any name would come back empty.
        """
        return not _is_open(self.schema)

    @cached_property
    def fingerprint(self) -> list[Any]:
        """All that decides the question but the values, as JSON data."""
        return [self.name, self.role, self._source, self._form, self.attempts, self.temperature]

    @cached_property
    def _source(self) -> str:
        return (files(self.package) / "prompts" / f"{self.name}.md").read_text(encoding="utf-8")

    @cached_property
    def _template(self) -> jinja2.Template:
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        # Jinja's own filter writes for web pages, and sorts keys.
        environment.filters["json"] = _json
        return environment.from_string(self._source)

    @cached_property
    def _form(self) -> str:
        return (
            "Answer with one JSON object and nothing else. It must fit this JSON schema:\n\n"
            f"{_json(self.schema)}"
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_open(schema: Any) -> bool:
    """Whether a schema has an object with fields of any name, or a value of any kind."""
    if isinstance(schema, list):
        return any(map(_is_open, schema))
    if not isinstance(schema, dict):
        return False
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return True
    for name in ("$defs", "properties"):
        if any(inner == {} or _is_open(inner) for inner in schema.get(name, {}).values()):
            return True
    return any(
        schema[name] == {} or _is_open(schema[name])
        for name in ("items", "anyOf", "prefixItems")
        if name in schema
    )
