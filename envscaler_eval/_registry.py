"""What Inspect finds through the package's entry point."""

from inspect_ai.model import ModelAPI, modelapi

from envscaler_eval.scorers import acebench, bfcl, checklist, simulated_user
from envscaler_eval.scorers import tau_bench as tau_bench_scorer
from envscaler_eval.solvers import (
    acebench_dialogue,
    bfcl_conversation,
    by_mode,
    conv,
    non_conv,
    start_acebench,
    start_bfcl,
    start_episode,
    start_trial,
    tau_bench_agent,
)
from envscaler_eval.tasks import acebench_agent, bfcl_multi_turn, envscaler, tau_bench

__all__ = [
    "acebench",
    "acebench_agent",
    "acebench_dialogue",
    "bfcl",
    "bfcl_conversation",
    "bfcl_multi_turn",
    "by_mode",
    "checklist",
    "conv",
    "envscaler",
    "non_conv",
    "policy",
    "session",
    "simulated_user",
    "start_acebench",
    "start_bfcl",
    "start_episode",
    "start_trial",
    "tau_bench",
    "tau_bench_agent",
    "tau_bench_scorer",
]


@modelapi(name="policy")
def policy() -> type[ModelAPI]:
    """Reference policies as models: `policy/oracle`, `policy/noop`, `policy/random`."""
    from envscaler_eval.solvers.policy_model import PolicyModel

    return PolicyModel


@modelapi(name="session")
def session() -> type[ModelAPI]:
    """Recorded answers of the synthesis as a model: `session/PATH`."""
    from envscaler_eval.synth.session_model import SessionModel

    return SessionModel
