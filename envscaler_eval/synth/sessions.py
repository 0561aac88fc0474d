"""Recorded sessions: the answers of a model, kept to be given again without one.

A session is a file of answers or a folder of such files; the last answer to a
question counts. The `answers.jsonl` of any run is one. People write YAML, in which
an answer is a mapping or the very text of a reply, right or wrong:

    - step: plan_state
      item: tide_gauge
      attempt: 1             # the default
      answer: {...}          # or text, as the model would have said it
      usage: {input_tokens: 900, output_tokens: 300}     # optional
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.synth.artefacts import read_records
from envscaler_eval.synth.question import Question

StopReason = Literal["stop", "max_tokens", "model_length", "content_filter", "unknown"]


class MissingAnswer(UsageError):
    """A session holds no answer to a question."""


class RecordedAnswer(BaseModel):
    """A reply as it was recorded, and what it answered.

    Attributes:
        step: The step.
        item: What the question was about.
        attempt: From 1; above 1 it answers a re-ask.
        answer: The reply, or the mapping that it held. A run's files call it `text`.
        stop_reason: Why it ended, in Inspect's words.
        usage: Tokens by the names of Inspect's `ModelUsage`.
    """

    model_config = ConfigDict(frozen=True)

    step: str
    item: str
    attempt: int = Field(default=1, ge=1)
    answer: str | dict[str, Any] = Field(validation_alias=AliasChoices("answer", "text"))
    stop_reason: StopReason = "stop"
    usage: dict[str, Any] | None = None

    @property
    def question(self) -> Question:
        """What was answered."""
        return Question(self.step, self.item, self.attempt)

    @property
    def text(self) -> str:
        """The reply as the model said it."""
        if isinstance(self.answer, str):
            return self.answer
        return json.dumps(self.answer, ensure_ascii=False, indent=1)


class Session:
    """The answers of a recorded session, by question."""

    def __init__(self, place: Path) -> None:
        """Read a session.

        Args:
            place: A file (.jsonl, .yaml) or a folder of such files.

        Raises:
            UsageError: There is none, or it is not as it must be.
        """
        self._place = place
        self._answers: dict[Question, RecordedAnswer] = {}
        for answer in _recorded(place):
            self._answers[answer.question] = answer

    def answer(self, question: Question) -> RecordedAnswer:
        """Return what was answered.

        Raises:
            MissingAnswer: Nothing was.
        """
        found = self._answers.get(question)
        if found is None:
            raise MissingAnswer(f"session {self._place}: has no answer for {question}")
        return found


def _recorded(place: Path) -> Iterator[RecordedAnswer]:
    if place.is_dir():
        files = sorted(f for f in place.rglob("*") if f.suffix in (".jsonl", ".yaml"))
    else:
        files = [place] if place.is_file() else []
    if not files:
        raise UsageError(f"{place}: there is no session; give a .jsonl or .yaml file or a folder")
    for file in files:
        for number, entry in enumerate(_read(file), start=1):
            try:
                yield RecordedAnswer.model_validate(entry)
            except ValidationError as error:
                fault = error.errors(include_url=False)[0]
                where = " ".join(map(str, fault["loc"]))
                raise UsageError(f"{file}: answer {number}: {where}: {fault['msg']}") from None


def _read(file: Path) -> Any:
    if file.suffix == ".jsonl":
        return read_records(file.parent, file.stem)
    try:
        answers = core_yaml.load(file.read_text(encoding="utf-8"))
    except core_yaml.YamlError as fault:
        raise UsageError(f"{file}: {fault}; the file must be valid YAML") from None
    if not isinstance(answers, list):
        raise UsageError(f"{file}: is no list of answers; start each with `- step: ...`")
    return answers
