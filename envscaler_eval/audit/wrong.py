"""Trajectories that do not deserve the reward: idle, random, short, mistaken, careless."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from envscaler_eval.audit.argument_mutants import Values, mutants
from envscaler_eval.audit.check_mutants import text_literals
from envscaler_eval.audit.trajectories import Trajectory, shown, trajectory
from envscaler_eval.episode import Episode
from envscaler_eval.policies import RandomCalls, View
from envscaler_eval.policies.random_calls import CALLS
from envscaler_eval.runtime import Runtime
from envscaler_eval.scenario import Scenario, ToolCall
from envscaler_eval.state import changes, plain, state_hash

RANDOM_EPISODES = 100
MUTANTS_KEPT = 12
MUTANTS_TRIED = 60
EXTRA_WRITES = 40
EXTRA_READS = 5
_TRIES = 60

NEAR_MISSES = ("without", "up to", "with")
"""How the labels of attempts begin that do nearly all of the work."""


def random_episodes(scenario: Scenario, runtime: Runtime) -> Iterator[Trajectory]:
    """Yield seeded random episodes, and one that calls every tool once."""
    tools = runtime.environment.tools
    for seed in range(RANDOM_EPISODES):
        with Episode(scenario, runtime) as episode:
            calls = list(_random_calls(episode, seed, CALLS))
            yield _played(f"random episode {seed}", calls, episode)
    with Episode(scenario, runtime) as episode:
        observations: list[str] = []
        calls = []
        for step, tool in enumerate(tools):
            (call,) = RandomCalls([tool], "every tool")(View(step, (), observations)).calls
            observations.append(episode.call(call.name, call.arguments))
            calls.append(call)
        yield _played("every tool once", calls, episode)


def shortened(scenario: Scenario, runtime: Runtime, solved: Trajectory) -> Iterator[Trajectory]:
    """Yield the solution without each writing call, and cut off before each."""
    calls = solved.calls
    for position in solved.writes:
        name = f"call {position + 1} {shown(calls[position])}"
        without = (*calls[:position], *calls[position + 1 :])
        yield trajectory(f"without {name}", scenario, runtime, without)
        if position < solved.writes[-1]:
            yield trajectory(f"up to {name}", scenario, runtime, calls[:position])


def with_wrong_arguments(
    scenario: Scenario, runtime: Runtime, solved: Trajectory
) -> Iterator[Trajectory]:
    """Yield solutions with one wrong argument which succeed and end differently.

    Of each argument some such mutants are enough; many more are tried, since a
    good environment refuses most of them.
    """
    tools = {tool.name: tool for tool in runtime.environment.tools}
    # Also of the start, for the records that the solution deletes.
    values = Values(scenario.state, solved.final)
    right = state_hash(solved.final)
    for position in solved.writes:
        call = solved.calls[position]
        tried: Counter[str] = Counter()
        found: Counter[str] = Counter()
        before, after = solved.calls[:position], solved.calls[position + 1 :]
        with _Probe(scenario, runtime, before) as probe:
            for argument, change, mutant in mutants(call, tools[call.name], values):
                if tried[argument] == MUTANTS_TRIED or found[argument] == MUTANTS_KEPT:
                    continue
                tried[argument] += 1
                if not probe.accepts(mutant):
                    continue
                label = f"with call {position + 1} {call.name}, {change},"
                ended = trajectory(label, scenario, runtime, (*before, mutant, *after))
                if ended.statuses[position] == "ok" and state_hash(ended.final) != right:
                    found[argument] += 1
                    yield ended


class _Probe:
    """Tells which calls an environment accepts at one place of a solution.

    Refused calls leave the state as it was, so one episode serves until a call
    is accepted.
    """

    def __init__(self, scenario: Scenario, runtime: Runtime, before: Sequence[ToolCall]) -> None:
        self._start = scenario, runtime
        self._before = before
        self._episode = self._at_the_place()

    def __enter__(self) -> "_Probe":
        return self

    def __exit__(self, *_: object) -> None:
        self._episode.close()

    def accepts(self, call: ToolCall) -> bool:
        """Return whether a call succeeds at the place."""
        self._episode.call(call.name, call.arguments)
        if self._episode.calls[-1].status != "ok":
            return False
        self._episode.close()
        self._episode = self._at_the_place()
        return True

    def _at_the_place(self) -> Episode:
        episode = Episode(*self._start)
        for call in self._before:
            episode.call(call.name, call.arguments)
        return episode


def with_extra_calls(
    scenario: Scenario, runtime: Runtime, solved: Trajectory
) -> tuple[list[Trajectory], list[Trajectory]]:
    """Return solutions followed by one more call: those that write, those that read.

    Half of the calls draw on all that the solution has seen, half on the records
    that the scenario is about, where damage would be easiest to overlook.
    """
    writes: dict[str, Trajectory] = {}
    reads: dict[str, Trajectory] = {}
    about = _records_at_stake(scenario, solved)
    for seed in range(EXTRA_WRITES):
        with Episode(scenario, runtime) as episode:
            seen = [episode.call(call.name, call.arguments) for call in solved.calls]
            observations = about[:] if seed % 2 else seen
            before = state_hash(episode.state())
            for step in range(_TRIES):
                call = _one_call(episode, seed, step, observations)
                observations.append(episode.call(call.name, call.arguments))
                if episode.calls[-1].status != "ok":
                    continue
                if state_hash(episode.state()) != before:
                    label = f"with an extra {shown(call)}"
                    writes.setdefault(label, _played(label, [*solved.calls, call], episode))
                    break
                label = f"solution and {shown(call)}"
                if len(reads) < EXTRA_READS and label not in reads:
                    reads[label] = _played(label, [*solved.calls, call], episode)
    return list(writes.values()), list(reads.values())


def _records_at_stake(scenario: Scenario, solved: Trajectory) -> list[str]:
    """Return the records that the checks and the solution name, as observations."""
    named = {literal for check in scenario.checks for literal in text_literals(check.code)}
    for call in solved.calls:
        named.update(value for value in call.arguments.values() if isinstance(value, str))
    observations = []
    for name, collection in solved.final.items():
        if not isinstance(collection, dict):
            continue
        records = {
            key: record
            for key, record in collection.items()
            if isinstance(record, dict)
            and (key in named or any(isinstance(v, str) and v in named for v in record.values()))
        }
        if records:
            observations.append(json.dumps({name: records}, default=plain))
    return observations


def difference(item: Trajectory, solved: Trajectory) -> str:
    """Say where two ends differ."""
    pointers = [change.pointer for change in changes(solved.final, item.final)]
    more = f" and {len(pointers) - 3} more" if len(pointers) > 3 else ""
    return ", ".join(pointers[:3]) + more


def _random_calls(episode: Episode, seed: int, count: int) -> Iterator[ToolCall]:
    observations: list[str] = []
    for step in range(count):
        call = _one_call(episode, seed, step, observations)
        observations.append(episode.call(call.name, call.arguments))
        yield call


def _one_call(episode: Episode, seed: int, step: int, observations: list[str]) -> ToolCall:
    policy = RandomCalls(episode.tools, f"{episode.scenario.name}/{seed}", calls=step + 1)
    (call,) = policy(View(step, (), observations)).calls
    return call


def _played(label: str, calls: list[ToolCall], episode: Episode) -> Trajectory:
    """Describe an episode where it stands."""
    return Trajectory(
        label=label,
        calls=tuple(calls),
        statuses=tuple(record.status for record in episode.calls),
        observations=(),
        writes=(),
        final=episode.state(),
        grade=episode.grade(),
    )
