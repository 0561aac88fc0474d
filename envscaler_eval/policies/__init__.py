"""Reference policies: the ceiling, the floor and chance, as pure functions."""

from envscaler_eval.policies.erring import erring
from envscaler_eval.policies.play import play
from envscaler_eval.policies.policy import DONE, Policy, Turn, View, scripted
from envscaler_eval.policies.random_calls import RandomCalls
from envscaler_eval.policies.reference import noop, oracle
from envscaler_eval.policies.scripted_user import STOP, pieces, scripted_user

__all__ = [
    "DONE",
    "STOP",
    "Policy",
    "RandomCalls",
    "Turn",
    "View",
    "erring",
    "noop",
    "oracle",
    "pieces",
    "play",
    "scripted",
    "scripted_user",
]
