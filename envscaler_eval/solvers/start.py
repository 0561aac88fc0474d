"""The setup that gives a sample its episode, whatever solver comes after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode, Grade
from envscaler_eval.errors import UsageError
from envscaler_eval.isolation import IsolationChoice, IsolationPolicy, limits_of
from envscaler_eval.pack import Pack, locate, read_pack
from envscaler_eval.policies import Policy, RandomCalls, noop, oracle, scripted_user
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Scenario
from envscaler_eval.solvers.blocking import run_world
from envscaler_eval.solvers.live import LiveSample, enter_sample, live_sample
from envscaler_eval.solvers.protocol import PROTOCOLS, Mode, Protocol, ProtocolName
from envscaler_eval.solvers.record import never_started, write_record
from envscaler_eval.solvers.tools import tool_definitions, tool_infos


@dataclass
class LiveEpisode(LiveSample):
    """A sample with a live episode.

    Attributes:
        environment: The environment.
        tools: Its tools, as a model sees them.
        episode: The episode.
        protocol: The rules that it is held by.
        grade: Its grade, once it has ended.
    """

    environment: Environment
    tools: Sequence[ToolInfo]
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


@dataclass(frozen=True)
class OpenPack:
    """A pack that is ready for episodes.

    Attributes:
        pack: The pack.
        runtime: Where its environment runs.
        tools: Its tools, as a model sees them.
    """

    pack: Pack
    runtime: Runtime
    tools: Sequence[ToolInfo]


class Environments:
    """Packs made ready for episodes, each once."""

    def __init__(self, isolation: IsolationPolicy | None = None) -> None:
        """Open nothing yet.

        Args:
            isolation: How they run.
        """
        self._isolation = isolation or IsolationPolicy()
        self._opened: dict[str, OpenPack] = {}

    def open(self, name: str) -> OpenPack:
        """Return a pack, given by id or path, ready for episodes."""
        if name not in self._opened:
            pack = read_pack(locate(name))
            self._opened[name] = OpenPack(
                pack, self._isolation.runtime(pack), tool_infos(pack.environment.tools)
            )
        return self._opened[name]


@solver
def start_episode(
    protocol: ProtocolName = "default",
    seed: int = 0,
    offer_tools: bool = False,
    isolation: IsolationChoice = "auto",
    allow_weak_isolation: bool = False,
    limits: dict[str, float] | None = None,
) -> Solver:
    """Start the sample's episode.

    Args:
        protocol: The rules of the episode.
        seed: Fixes everything random in the environment.
        offer_tools: Put the tools into the sample's state, for solvers other
            than ours. Inspect then describes and logs them with each step of
            the plan, which costs about a tenth of the run.
        isolation: Where environments run; see `IsolationPolicy`.
        allow_weak_isolation: Whether to go on where a protection is missing.
        limits: Bounds of isolated environments, by name.
    """
    environments = Environments(IsolationPolicy(isolation, allow_weak_isolation, limits_of(limits)))
    rules = PROTOCOLS[protocol]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        opened = environments.open(state.metadata["pack"])
        scenario = opened.pack.scenario(state.metadata["scenario"])
        try:
            episode = await run_world(
                opened.runtime,
                lambda: Episode(
                    scenario,
                    opened.runtime,
                    seed,
                    observations=rules.observations,
                    validate=rules.validate,
                ),
            )
        except EnvironmentFault as fault:
            write_record(state, never_started(seed, protocol, str(fault)))
            state.completed = True
            return state
        enter_sample(
            LiveEpisode(
                name=str(state.sample_id),
                epoch=state.epoch,
                policies=_policies(scenario, episode, state.metadata["mode"]),
                environment=opened.pack.environment,
                tools=opened.tools,
                episode=episode,
                protocol=rules,
            )
        )
        if offer_tools:
            definitions = tool_definitions(episode, opened.tools)
            state.tools = [definition.as_tool() for definition in definitions]
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
