"""What Inspect finds through the package's entry point."""

from inspect_ai.model import ModelAPI, modelapi

from envscaler_eval.scorers import bfcl, checklist
from envscaler_eval.solvers import (
    bfcl_conversation,
    by_mode,
    conv,
    non_conv,
    start_bfcl,
    start_episode,
)
from envscaler_eval.tasks import bfcl_multi_turn, envscaler

__all__ = [
    "bfcl",
    "bfcl_conversation",
    "bfcl_multi_turn",
    "by_mode",
    "checklist",
    "conv",
    "envscaler",
    "non_conv",
    "policy",
    "start_bfcl",
    "start_episode",
]


@modelapi(name="policy")
def policy() -> type[ModelAPI]:
    """Reference policies as models: `policy/oracle`, `policy/noop`, `policy/random`."""
    from envscaler_eval.solvers.policy_model import PolicyModel

    return PolicyModel
