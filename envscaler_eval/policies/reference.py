"""The ceiling and the floor: the reference solution, and doing nothing."""

from typing import Literal

from envscaler_eval.errors import UsageError
from envscaler_eval.policies.policy import DONE, Policy, Turn, scripted
from envscaler_eval.scenario import Scenario

_ASKS = "Happy to help. Is there anything I should know before I start?"
_REPORTS = "Everything that could be done is done."


def oracle(scenario: Scenario, mode: Literal["non_conv", "conv"]) -> Policy:
    """Return the policy that makes the solution's calls and reports the end.

    In conversation it asks once before it starts, so that the exchange is real.

    Raises:
        UsageError: The scenario has no solution, as imported ones have none.
    """
    if not scenario.solution:
        raise UsageError(
            f"{scenario.name}: there is no solution for the oracle to play; imported scenarios "
            "have none, use another model"
        )
    calls = [Turn(calls=(call,)) for call in scenario.solution]
    if mode == "non_conv":
        return scripted(*calls, Turn(DONE))
    return scripted(Turn(_ASKS), *calls, Turn(_REPORTS))


def noop() -> Policy:
    """Return the policy that claims to be done at once."""
    return scripted(Turn(DONE))
