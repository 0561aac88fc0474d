"""The rules of a trial: upstream's, and those of the EnvScaler paper."""

from dataclasses import dataclass
from typing import Literal

from envscaler_eval.benchmarks.tau_bench.protocol import AGENT_TEMPERATURE, RESPOND
from envscaler_eval.solvers.prompts import PAPER_CONDUCT

ProtocolName = Literal["official", "paper"]
Strategy = Literal["llm", "react", "react_fixed", "verify", "reflection", "scripted"]


@dataclass(frozen=True)
class Protocol:
    """How a trial is held.

    Attributes:
        name: The name people type.
        user_strategy: How the user is simulated unless said otherwise.
        agent_temperature: The agent's temperature unless set otherwise.
        user_temperature: The user's, or None for the provider's default.
        conduct: What the agent is told before the domain's policy.
        reply_action: The name of the action that is a reply to the user.
        empty_reply_crashes: Whether a turn without call and text ends a trial.
    """

    name: ProtocolName
    user_strategy: Strategy
    agent_temperature: float
    user_temperature: float | None
    conduct: str
    reply_action: str
    empty_reply_crashes: bool

    def system_prompt(self, policy: str) -> str:
        """Return what the agent is told."""
        return f"{self.conduct}\n\n{policy}" if self.conduct else policy


PROTOCOLS: dict[ProtocolName, Protocol] = {
    "official": Protocol(
        name="official",
        user_strategy="llm",
        agent_temperature=AGENT_TEMPERATURE,
        user_temperature=None,
        conduct="",
        reply_action=RESPOND,
        empty_reply_crashes=False,
    ),
    # EnvScaler, arXiv 2601.05808: interact_with_env/taubench_env and run_main.py.
    "paper": Protocol(
        name="paper",
        user_strategy="react_fixed",
        agent_temperature=0.7,
        user_temperature=0.7,
        conduct=PAPER_CONDUCT["conv"],
        reply_action="chat_with_user",
        empty_reply_crashes=True,
    ),
}
