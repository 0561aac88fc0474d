"""The reference solution, played without a model, and what each generation reads and writes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from envscaler_eval.episode import Episode
from envscaler_eval.estimate.size import Size, size_of_calls, size_of_tools
from envscaler_eval.pack import Pack
from envscaler_eval.policies import STOP, Policy, Turn, View, oracle, scripted_user
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.prompts import GREETING, system_prompt, user_prompt
from envscaler_eval.solvers.protocol import Mode, Protocol


@dataclass(frozen=True)
class Generation:
    """One generation of a model.

    Attributes:
        read: All that it is sent.
        written: What it answers.
    """

    read: Size
    written: Size


@dataclass(frozen=True)
class Dialogue:
    """The generations of an episode, in order.

    Attributes:
        agent: Those of the agent.
        user: Those of the simulated user, if there is one.
    """

    agent: Sequence[Generation]
    user: Sequence[Generation]


@dataclass
class _Side:
    """One who speaks: a policy, what it has been sent so far, and its generations."""

    policy: Policy
    read: Size
    heard: list[str] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    generations: list[Generation] = field(default_factory=list)

    def hear(self, said: str) -> None:
        self.heard.append(said)
        self.read += Size(prose=len(said))

    def observe(self, observation: str) -> None:
        self.observations.append(observation)
        self.read += Size(data=len(observation))

    def speak(self) -> Turn:
        turn = self.policy(View(len(self.generations), self.heard, self.observations))
        written = Size(prose=len(turn.text)) + size_of_calls(turn.calls)
        self.generations.append(Generation(self.read, written))
        self.read += written
        return turn


def play_dialogue(
    pack: Pack, scenario: Scenario, runtime: Runtime, mode: Mode, rules: Protocol
) -> Dialogue:
    """Play a scenario's solution, in conversation with the scripted user.

    Args:
        pack: The scenario's pack.
        scenario: The scenario.
        runtime: Where its environment runs.
        mode: With or without a user.
        rules: The protocol of the run.
    """
    prompt = system_prompt(pack.environment, scenario.now, mode, rules)
    agent = _Side(
        oracle(scenario, mode),
        Size(prose=len(prompt)) + size_of_tools(pack.environment.tools),
    )
    user = _Side(
        scripted_user(scenario),
        Size(prose=len(user_prompt(scenario, rules.user_strategy))),
    )
    with Episode(
        scenario, runtime, observations=rules.observations, validate=rules.validate
    ) as episode:
        if mode == "non_conv":
            agent.hear(scenario.task)
            _act(agent, episode)
            return Dialogue(agent.generations, ())
        user.hear(GREETING)
        while STOP not in (said := user.speak().text):
            agent.hear(said)
            user.hear(_act(agent, episode))
    return Dialogue(agent.generations, user.generations)


def _act(agent: _Side, episode: Episode) -> str:
    """Let the agent call tools until it says something; return that."""
    while (turn := agent.speak()).calls:
        for call in turn.calls:
            agent.observe(episode.call(call.name, call.arguments))
    return turn.text
