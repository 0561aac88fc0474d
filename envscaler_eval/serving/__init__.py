"""Reference policies behind an OpenAI-compatible chat-completions server."""

from envscaler_eval.serving.app import build_app
from envscaler_eval.serving.fault_plan import FaultPlan
from envscaler_eval.serving.faults import CONTENT_FAULTS, FAULTS, TRANSPORT_FAULTS, FaultKind
from envscaler_eval.serving.player import PLAYERS, Player
from envscaler_eval.serving.recognition import Unrecognised
from envscaler_eval.serving.server import PolicyServer

__all__ = [
    "CONTENT_FAULTS",
    "FAULTS",
    "PLAYERS",
    "TRANSPORT_FAULTS",
    "FaultKind",
    "FaultPlan",
    "Player",
    "PolicyServer",
    "Unrecognised",
    "build_app",
]
