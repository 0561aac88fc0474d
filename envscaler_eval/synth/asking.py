"""Asking for an answer that can be used, and asking again with the fault quoted."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio.to_thread
from pydantic import BaseModel

from envscaler_eval.synth.answer import AnswerFault, parse_answer
from envscaler_eval.synth.answers import Answers
from envscaler_eval.synth.artefacts import Records, content_key
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.question import Question
from envscaler_eval.synth.step import Step
from envscaler_eval.synth.watching import Watcher

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

REASKS = "reasks"
"""The collection that says why an answer could not be used."""

Wanted = TypeVar("Wanted", bound=BaseModel)

_SYSTEM = (
    "You help to build software systems on which tool-using agents are trained and tested. "
    "Be exact, and keep to the form of the answer."
)


class Asker:
    """Puts a step's questions until the answer fits, as often as the step allows."""

    def __init__(self, artefacts: Records, answers: Answers, watcher: Watcher) -> None:
        """Ask through `answers`, and keep the reasons for asking again."""
        self._artefacts = artefacts
        self._answers = answers
        self._watcher = watcher

    async def ask(
        self,
        step: Step[Wanted],
        item: str,
        check: Callable[[Wanted], None] | None = None,
        **values: Any,
    ) -> Wanted:
        """Return a usable answer.

        Args:
            step: The step.
            item: What the question is about. Together with the step it names the
                question, so that two draws of one prompt need two names.
            check: Raises `AnswerFault` for an answer that fits the schema and is
                wrong all the same. It runs in a thread, and may take its time.
            values: What the prompt needs.

        Raises:
            Dropped: No attempt gave a usable answer; tells the last fault.
            Unfinished: The provider failed.
        """
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

        messages: list[ChatMessage] = [
            ChatMessageSystem(content=_SYSTEM),
            ChatMessageUser(content=step.prompt(**values)),
        ]
        told = ""
        for attempt in range(1, step.attempts + 1):
            question = Question(step.name, item, attempt)
            reply = await self._answers.answer(step, question, messages)
            try:
                return await self._accept(step, reply, check)
            except AnswerFault as fault:
                told = str(fault)
            self._record(question, told)
            messages += [
                ChatMessageAssistant(content=reply["text"]),
                ChatMessageUser(content=_again(told)),
            ]
        raise Dropped(f"{step.name}: no usable answer in {step.attempts} attempts: {told}")

    async def _accept(
        self, step: Step[Wanted], reply: dict[str, Any], check: Callable[[Wanted], None] | None
    ) -> Wanted:
        if reply["stop_reason"] in ("max_tokens", "model_length"):
            raise AnswerFault("the reply was cut off at its greatest length; be briefer")
        if reply["stop_reason"] == "content_filter":
            raise AnswerFault("the reply was held back by the provider's filter")
        answer = parse_answer(reply["text"], step.answer)
        if check is not None:
            await anyio.to_thread.run_sync(check, answer)
        return answer

    def _record(self, question: Question, told: str) -> None:
        record = {
            "step": question.step,
            "item": question.item,
            "attempt": question.attempt,
            "reason": told,
        }
        key = content_key(*record.values())
        self._artefacts.put(REASKS, key, record)
        self._watcher.asked_again(record)


def _again(fault: str) -> str:
    return (
        f"This answer cannot be used: {fault}\n\n"
        "Give the whole answer again, with that put right, in the same form."
    )
