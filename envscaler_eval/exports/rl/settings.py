"""What fixes an RL environment: which scenarios, by which rules, for which reward."""

from typing import Any, Literal

from pydantic import Field

from envscaler_eval.isolation import IsolationChoice
from envscaler_eval.scenario import Frozen
from envscaler_eval.solvers.protocol import PROTOCOLS, Mode, Protocol, ProtocolName

ModeChoice = Literal["non_conv", "conv", "both"]
RewardName = Literal["reward", "success", "paper_reward"]

SCRIPTED_USER = "policy/user"
"""The user that needs no model."""


class RlSettings(Frozen):
    """What fixes an RL environment. Plain data: an exported folder keeps it as JSON.

    Attributes:
        envs: Packs by id or path; by default the library's train split.
        tags: Keep scenarios that carry all of these.
        samples: Keep only these samples, `env/scenario:mode`, such as those of a
            curriculum.
        mode: With a user to talk to, without, or each scenario in both ways.
        seed: Fixes the environments' chance.
        protocol: The rules of an episode.
        step_limit: How many generations the agent has, where the adapter counts
            them; by default the protocol's limit.
        reward: Which of the grade's figures is the reward.
        grade_truncated: Whether an episode that ran into a limit is graded where
            it stands, or earns 0; by default as the protocol has it.
        user: The user of conversations: `policy/user`, which needs no model, or a
            model by its name in Inspect, such as `openai/gpt-4.1`.
        user_args: Arguments for that model, such as `base_url`.
        isolation: Where environments run.
        allow_weak_isolation: Whether to go on where a protection is missing.
        limits: Bounds of isolated environments, by name.
        include_test: Whether environments of the test split may be trained on.
        pack_hashes: The packs' hashes; a pack of another one is refused.
    """

    envs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    samples: tuple[str, ...] | None = None
    mode: ModeChoice = "non_conv"
    seed: int = 0
    protocol: ProtocolName = "default"
    step_limit: int | None = Field(default=None, ge=1)
    reward: RewardName = "reward"
    grade_truncated: bool | None = None
    user: str = SCRIPTED_USER
    user_args: dict[str, Any] = Field(default_factory=dict)
    isolation: IsolationChoice = "isolated"
    allow_weak_isolation: bool = False
    limits: dict[str, float] = Field(default_factory=dict)
    include_test: bool = False
    pack_hashes: dict[str, str] = Field(default_factory=dict)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes that scenarios are played in."""
        return ("non_conv", "conv") if self.mode == "both" else (self.mode,)

    @property
    def rules(self) -> Protocol:
        """The protocol's rules."""
        return PROTOCOLS[self.protocol]

    @property
    def grades_truncated(self) -> bool:
        """Whether an episode that ran into a limit is graded where it stands."""
        if self.grade_truncated is None:
            return not self.rules.proper_ending
        return self.grade_truncated

    def steps(self, mode: Mode) -> int:
        """Return how many generations the agent has."""
        return self.step_limit or self.rules.steps[mode]
