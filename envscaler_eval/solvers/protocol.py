"""The rules of an episode on synthesised environments: ours, and the paper's."""

from dataclasses import dataclass
from typing import Literal

from envscaler_eval.runtime import ObservationForm
from envscaler_eval.solvers.user_strategies import UserStrategy

Mode = Literal["non_conv", "conv"]
ProtocolName = Literal["default", "paper"]
ReasoningHistory = Literal["auto", "all", "last", "none"]


@dataclass(frozen=True)
class Protocol:
    """How an episode is held.

    Attributes:
        name: The name people type.
        observations: The form of observations.
        validate: Whether arguments that do not fit the schema are refused
            before they reach the tool.
        single_call: Whether only the first call of a turn is made.
        raising_ends: Whether an exception in a tool ends the episode.
        proper_ending: Whether only an episode that the agent (Non-Conv) or the
            user (Conv) ended earns reward.
        steps: How many generations the agent has, by mode.
        reasoning_history: Which of its earlier reasoning the agent is shown
            again; `auto` leaves it to the provider.
        user_strategy: How the simulated user makes its messages.
        user_temperature: The temperature of the user's model, or `None` for its
            provider's default.
    """

    name: ProtocolName
    observations: ObservationForm
    validate: bool
    single_call: bool
    raising_ends: bool
    proper_ending: bool
    steps: dict[Mode, int]
    reasoning_history: ReasoningHistory
    user_strategy: UserStrategy
    user_temperature: float | None


PROTOCOLS: dict[ProtocolName, Protocol] = {
    "default": Protocol(
        name="default",
        observations="json",
        validate=True,
        single_call=False,
        raising_ends=False,
        proper_ending=False,
        steps={"non_conv": 50, "conv": 60},
        reasoning_history="auto",
        user_strategy="llm",
        user_temperature=None,
    ),
    # EnvScaler, arXiv 2601.05808: interact_with_env/envscaler_env and run_main.py.
    "paper": Protocol(
        name="paper",
        observations="python",
        validate=False,
        single_call=True,
        raising_ends=True,
        proper_ending=True,
        steps={"non_conv": 30, "conv": 40},
        # task_solve_agent.py, native tool calling: the reasoning of each turn stays in the history.
        reasoning_history="all",
        user_strategy="llm_react",
        user_temperature=0.7,
    ),
}
