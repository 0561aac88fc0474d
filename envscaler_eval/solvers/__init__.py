"""Agent loops over episodes."""

from envscaler_eval.solvers.bfcl import bfcl_conversation, start_bfcl
from envscaler_eval.solvers.by_mode import by_mode
from envscaler_eval.solvers.conv import conv
from envscaler_eval.solvers.non_conv import non_conv
from envscaler_eval.solvers.start import close_episode, start_episode

__all__ = [
    "bfcl_conversation",
    "by_mode",
    "close_episode",
    "conv",
    "non_conv",
    "start_bfcl",
    "start_episode",
]
