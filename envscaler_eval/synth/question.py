"""The question that is being asked, known to what answers without a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question by its place in the run.

    Attributes:
        step: The step's name.
        item: What it is about.
        attempt: From 1; above 1 it is a re-ask.
    """

    step: str
    item: str
    attempt: int

    def __str__(self) -> str:
        """Name it."""
        return f"step '{self.step}', item '{self.item}', attempt {self.attempt}"


_CURRENT: ContextVar[Question | None] = ContextVar("current_question", default=None)


def current_question() -> Question | None:
    """Return the question that this task is asking."""
    return _CURRENT.get()


@contextmanager
def asking(question: Question) -> Iterator[None]:
    """Make a question the current one."""
    token = _CURRENT.set(question)
    try:
        yield
    finally:
        _CURRENT.reset(token)
