"""The sample that is being solved, for what Inspect gives no access to it.

A model provider sees messages, not the sample, and a live environment must not
go into Inspect's store, where it would be diffed and logged. The task's setup
solver keeps both beside the store: Inspect gives every sample a store of its
own and hands it to solvers, providers and scorers alike.
"""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inspect_ai.util import store

from envscaler_eval.policies import Policy


@dataclass
class LiveSample:
    """What belongs to the sample at hand.

    Attributes:
        name: The sample's id.
        epoch: Which run of the sample this is, from 1.
        policies: How reference policies play it, by name, made when asked for.
    """

    name: str
    epoch: int
    policies: Mapping[str, Callable[[], Policy]]


# By identity, since stores compare by value and do not hash.
_LIVE: dict[int, LiveSample] = {}


def enter_sample(sample: LiveSample) -> None:
    """Make a sample the one at hand for whoever has this store."""
    key = id(store())
    _LIVE[key] = sample
    weakref.finalize(store(), _LIVE.pop, key, None)


def live_sample() -> LiveSample | None:
    """Return the sample at hand, or `None` outside of a running one."""
    return _LIVE.get(id(store()))
