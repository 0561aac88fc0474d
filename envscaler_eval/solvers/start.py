"""The setup that gives a sample its episode, whatever solver comes after."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inspect_ai.solver import Generate, Solver, TaskState, solver

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode, Grade
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationChoice, IsolationPolicy, limits_of
from envscaler_eval.pack import Pack, locate, read_pack
from envscaler_eval.policies import Policy, RandomCalls, noop, oracle, scripted_user
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.blocking import run_world
from envscaler_eval.solvers.live import LiveSample, enter_sample, live_sample
from envscaler_eval.solvers.protocol import PROTOCOLS, Mode, Protocol, ProtocolName
from envscaler_eval.solvers.tools import tool_definitions


@dataclass
class LiveEpisode(LiveSample):
    """A sample with a live episode.

    Attributes:
        environment: The environment.
        episode: The episode.
        protocol: The rules that it is held by.
        grade: Its grade, once it has ended.
    """

    environment: Environment
    episode: Episode
    protocol: Protocol
    grade: Grade | None = None


def live_episode() -> LiveEpisode | None:
    """Return the episode at hand, or `None` outside of a running sample."""
    sample = live_sample()
    return sample if isinstance(sample, LiveEpisode) else None


def require_episode() -> LiveEpisode:
    """Return the episode at hand.

    Raises:
        UsageError: The task started none.
    """
    live = live_episode()
    if live is None:
        raise UsageError(
            "this solver needs an episode; use it with the task envscaler_eval/envscaler"
        )
    return live


class Environments:
    """Packs and their runtimes, each opened once."""

    def __init__(self, isolation: IsolationPolicy | None = None) -> None:
        """Open nothing yet.

        Args:
            isolation: How they run.
        """
        self._isolation = isolation or IsolationPolicy()
        self._opened: dict[str, tuple[Pack, Runtime]] = {}

    def open(self, pack: str) -> tuple[Pack, Runtime]:
        """Return a pack, given by id or path, and its runtime."""
        if pack not in self._opened:
            content = read_pack(locate(pack))
            self._opened[pack] = content, self._isolation.runtime(content)
        return self._opened[pack]


@solver
def start_episode(
    protocol: ProtocolName = "default",
    seed: int = 0,
    isolation: IsolationChoice = "auto",
    allow_weak_isolation: bool = False,
    limits: dict[str, float] | None = None,
) -> Solver:
    """Start the sample's episode and offer its tools.

    Args:
        protocol: The rules of the episode.
        seed: Fixes everything random in the environment.
        isolation: Where environments run; see `IsolationPolicy`.
        allow_weak_isolation: Whether to go on where a protection is missing.
        limits: Bounds of isolated environments, by name.
    """
    environments = Environments(
        IsolationPolicy(isolation, allow_weak_isolation, limits_of(limits))
    )
    rules = PROTOCOLS[protocol]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        pack, runtime = environments.open(state.metadata["pack"])
        scenario = pack.scenario(state.metadata["scenario"])
        episode = await run_world(
            runtime,
            lambda: Episode(
                scenario, runtime, seed, observations=rules.observations, validate=rules.validate
            ),
        )
        enter_sample(
            LiveEpisode(
                name=str(state.sample_id),
                policies=_policies(scenario, episode, state.metadata["mode"]),
                environment=pack.environment,
                episode=episode,
                protocol=rules,
            )
        )
        state.tools = [definition.as_tool() for definition in tool_definitions(episode)]
        return state

    return solve


async def close_episode(state: TaskState) -> None:
    """Give up the sample's episode; a task's `cleanup`."""
    live = live_episode()
    if live is not None:
        live.episode.close()


def _policies(
    scenario: Scenario, episode: Episode, mode: Mode
) -> Mapping[str, Callable[[], Policy]]:
    return {
        "oracle": lambda: oracle(scenario, mode),
        "noop": noop,
        "random": lambda: RandomCalls(episode.tools, f"{scenario.name}#{episode.seed}"),
        "user": lambda: scripted_user(scenario),
    }
