"""The sample that is being solved, for what Inspect gives no access to it.

A model provider sees messages, not the sample, and a live environment must not
go into Inspect's store, where it would be diffed and logged. The task's setup
solver puts both here; a context variable keeps concurrent samples apart.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass

from envscaler_eval.policies import Policy


@dataclass
class LiveSample:
    """What belongs to the sample at hand.

    Attributes:
        name: The sample's id, for messages to people.
        policies: How reference policies play it, by name, made when asked for.
    """

    name: str
    policies: Mapping[str, Callable[[], Policy]]


_current: ContextVar[LiveSample | None] = ContextVar("envscaler_eval_live_sample", default=None)


def enter_sample(sample: LiveSample) -> None:
    """Make a sample the one at hand in this context."""
    _current.set(sample)


def live_sample() -> LiveSample | None:
    """Return the sample at hand, or `None` outside of a running one."""
    return _current.get()
