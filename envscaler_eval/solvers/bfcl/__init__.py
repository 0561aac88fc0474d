"""The official protocol of BFCL Multi-Turn."""

from envscaler_eval.solvers.bfcl.conversation import bfcl_conversation
from envscaler_eval.solvers.bfcl.start import start_bfcl

__all__ = ["bfcl_conversation", "start_bfcl"]
