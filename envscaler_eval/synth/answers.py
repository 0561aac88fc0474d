"""The answers of a run, each asked for once."""

import re
from typing import TYPE_CHECKING, Any

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.artefacts import Record, Records, content_key
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.outcome import Unfinished
from envscaler_eval.synth.question import Question, asking
from envscaler_eval.synth.sessions import MissingAnswer
from envscaler_eval.synth.step import Step
from envscaler_eval.synth.watching import Watcher

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput

ANSWERS = "answers"
"""The collection that holds every reply of a model, the unusable ones as well."""


class Answers:
    """Asks models, unless the same question has been answered in this folder before."""

    def __init__(self, artefacts: Records, models: Models, watcher: Watcher) -> None:
        """Keep answers among a run's artefacts."""
        self._artefacts = artefacts
        self._configs: dict[str, GenerateConfig] = {}
        self._models = models
        self._watcher = watcher

    async def answer(
        self, step: Step[Any], question: Question, messages: "list[ChatMessage]"
    ) -> Record:
        """Return the reply to a question: `text`, `stop_reason`, `usage` and what was asked.

        Args:
            step: The step.
            question: The question's place in the run.
            messages: The conversation up to the question.

        Raises:
            Unfinished: The provider failed.
            UsageError: There is no model for the role.
        """
        model = self._models.of(step.role)
        key = content_key(
            step.name,
            question.item,
            question.attempt,
            str(model),
            step.temperature,
            [[message.role, message.text] for message in messages],
        )
        known = self._artefacts.get(ANSWERS, key)
        if known is not None:
            self._watcher.answered(known, fresh=False)
            return known
        with asking(question):
            try:
                output = await model.generate(messages, config=self._config(step))
            except MissingAnswer as fault:
                place = self._keep_prompt(question, messages)
                raise Unfinished(f"{fault}; the prompt is in {place}") from None
            except UsageError:
                raise
            except Exception as fault:
                told = " ".join(str(fault).split())
                raise Unfinished(f"{question}: {type(fault).__name__}: {told}") from fault
        if output.error:
            raise Unfinished(f"{question}: {' '.join(output.error.split())}")
        record = {
            "step": step.name,
            "item": question.item,
            "attempt": question.attempt,
            "part": step.package.rpartition(".")[2],
            "role": step.role,
            "model": str(model),
            "text": output.completion,
            "stop_reason": str(output.stop_reason),
            "usage": _usage(output),
        }
        self._artefacts.put(ANSWERS, key, record)
        self._watcher.answered(record, fresh=True)
        return record

    def _keep_prompt(self, question: Question, messages: "list[ChatMessage]") -> str:
        name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", f"{question.step}--{question.item}")
        parts = (f"# {message.role}\n\n{message.text}\n" for message in messages)
        return self._artefacts.keep_prompt(f"{name}--{question.attempt}.md", "\n".join(parts))

    def _config(self, step: Step[Any]) -> "GenerateConfig":
        """Return what a step asks of its model; made once, for it takes a millisecond."""
        from inspect_ai.model import GenerateConfig, ResponseSchema
        from inspect_ai.util import json_schema

        config = self._configs.get(step.name)
        if config is None:
            schema = None
            if self._models.response_schema and step.closed:
                schema = ResponseSchema(name=step.name, json_schema=json_schema(step.answer))
            config = GenerateConfig(temperature=step.temperature, response_schema=schema)
            self._configs[step.name] = config
        return config


def _usage(output: "ModelOutput") -> dict[str, Any]:
    return output.usage.model_dump(exclude_none=True) if output.usage else {}
