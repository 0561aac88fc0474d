"""The assessment of an environment: the programmatic half of a quality inspection.

EnvScaler lets one agent call tools and another judge them. Here Hypothesis
makes the calls, from the schemas and from live values, and what must hold of
every environment is checked by the program.
"""

from collections.abc import Iterator, Sequence

from envscaler_eval.audit.call_fuzzing import edges_in_place, fuzzed_sequences
from envscaler_eval.audit.findings import EnvironmentCard, Item, ItemName
from envscaler_eval.audit.line_coverage import line_coverage
from envscaler_eval.audit.trajectories import shown
from envscaler_eval.episode import Episode
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import EnvironmentFault, Runtime
from envscaler_eval.scenario import Rejection, Scenario, ToolCall
from envscaler_eval.state import UnserialisableStateError, canonical

FEWEST_LINES = 0.90
"""The share of the program's statements that solutions, rejections and fuzzing must run."""

_NOTES = 8


def assess_environment(pack: Pack, runtime: Runtime) -> EnvironmentCard:
    """Assess the environment of a pack.

    Args:
        pack: The pack; its scenarios provide states and solutions.
        runtime: Where its environment runs.
    """
    starts = _one_scenario_per_state(pack.scenarios)
    tally = _Tally()
    sequences: list[tuple[Scenario, tuple[ToolCall, ...]]] = [
        (scenario, scenario.solution) for scenario in pack.scenarios
    ]
    sequences += [(_as_scenario(pack, r), r.calls) for r in pack.rejections]
    sequences += edges_in_place(list(sequences), runtime.environment.tools)
    sequences += [
        (scenario, calls) for scenario in starts for calls in fuzzed_sequences(scenario, runtime)
    ]
    for scenario, calls in sequences:
        _observe(scenario, runtime, calls, tally)
    items = [
        tally.item("robustness"),
        tally.item("failure_atomicity"),
        tally.item("serialisable"),
        tally.item("replay"),
        _tools_succeed(runtime, tally),
        _rules_reject(pack, runtime),
        _alternatives(pack),
        _coverage(runtime, sequences),
    ]
    cases = sum(item.cases for item in items[:-1])
    failures = sum(item.failures for item in items[:-1])
    return EnvironmentCard(
        env=pack.info.id, items=tuple(items), score=1 - failures / cases if cases else 0.0
    )


class _Tally:
    """What was seen over many calls, by question."""

    def __init__(self) -> None:
        self.succeeded: set[str] = set()
        self._cases: dict[ItemName, int] = {}
        self._faults: dict[ItemName, list[str]] = {}

    def add(self, name: ItemName, right: bool, note: str = "") -> None:
        """Count a case, and what was wrong with it."""
        self._cases[name] = self._cases.get(name, 0) + 1
        if not right:
            self._faults.setdefault(name, []).append(note)

    def item(self, name: ItemName) -> Item:
        """Return the answer to a question."""
        faults = self._faults.get(name, [])
        return Item(
            name=name,
            passed=not faults,
            cases=self._cases.get(name, 0),
            failures=len(faults),
            notes=tuple(dict.fromkeys(faults))[:_NOTES],
        )


def _observe(
    scenario: Scenario, runtime: Runtime, calls: Sequence[ToolCall], tally: _Tally
) -> None:
    """Play calls and ask of each what must hold of any."""
    observations = []
    with Episode(scenario, runtime) as episode:
        before = canonical(episode.state())
        for call in calls:
            observations.append(episode.call(call.name, call.arguments))
            status = episode.calls[-1].status
            name = shown(call)
            tally.add("robustness", status != "raised", f"{name}: {observations[-1]}")
            try:
                after = canonical(episode.state())
            except UnserialisableStateError as fault:
                tally.add("serialisable", False, f"after {name}: {fault}")
                return
            tally.add("serialisable", True)
            if status == "ok":
                tally.succeeded.add(call.name)
            else:
                tally.add(
                    "failure_atomicity", after == before, f"{name} fails and changes the state"
                )
            before = after
        try:
            episode.grade()
        except EnvironmentFault as fault:
            tally.add("serialisable", False, str(fault))
            return
    with Episode(scenario, runtime) as again:
        repeated = [again.call(call.name, call.arguments) for call in calls]
        same = repeated == observations and canonical(again.state()) == before
        tally.add("replay", same, f"{len(calls)} calls go differently a second time")


def _tools_succeed(runtime: Runtime, tally: _Tally) -> Item:
    names = [tool.name for tool in runtime.environment.tools]
    idle = [name for name in names if name not in tally.succeeded]
    return Item(
        name="tools_succeed",
        passed=not idle,
        cases=len(names),
        failures=len(idle),
        notes=tuple(f"no call of {name} ever succeeded" for name in idle),
    )


def _rules_reject(pack: Pack, runtime: Runtime) -> Item:
    notes = list(_rejection_faults(pack, runtime))
    proven = {rejection.rule for rejection in pack.rejections}
    notes += [
        f"rule {number} ({rule[:60]}) has no rejection; add one to rejections.yaml"
        for number, rule in enumerate(pack.info.rules, start=1)
        if number not in proven
    ]
    return Item(
        name="rules_reject",
        passed=not notes,
        cases=max(len(pack.info.rules), len(pack.rejections)),
        failures=len(notes),
        notes=tuple(notes[:_NOTES]),
    )


def _rejection_faults(pack: Pack, runtime: Runtime) -> Iterator[str]:
    for number, rejection in enumerate(pack.rejections, start=1):
        with Episode(_as_scenario(pack, rejection), runtime) as episode:
            observation = [episode.call(c.name, c.arguments) for c in rejection.calls][-1]
            *before, last = (record.status for record in episode.calls)
        place = f"rejections.yaml entry {number} (rule {rejection.rule})"
        if any(status != "ok" for status in before):
            yield f"{place}: a call before the last one fails"
        if last != "failed":
            yield f"{place}: the last call is {last}, not refused: {observation[:120]}"


def _alternatives(pack: Pack) -> Item:
    """Each pack shows by hand that its checks accept a second way of doing the job."""
    written = sum(len(scenario.alternatives) for scenario in pack.scenarios)
    return Item(
        name="alternatives",
        passed=written > 0,
        cases=1,
        failures=int(written == 0),
        value=written,
        notes=() if written else ("no scenario has an alternative; write one by hand",),
    )


def _as_scenario(pack: Pack, rejection: Rejection) -> Scenario:
    return Scenario(
        id="rejection",
        env=pack.info.id,
        state=rejection.state,
        now=rejection.now,
        task="Break a rule.",
    )


def _coverage(runtime: Runtime, sequences: Sequence[tuple[Scenario, tuple[ToolCall, ...]]]) -> Item:
    with runtime.lines_run() as ran:
        for scenario, calls in sequences:
            with Episode(scenario, runtime) as episode:
                for call in calls:
                    episode.call(call.name, call.arguments)
    run, missed = line_coverage(runtime.environment.code, ran)
    share = run / (run + len(missed))
    return Item(
        name="coverage",
        passed=share >= FEWEST_LINES,
        cases=run + len(missed),
        failures=len(missed),
        value=share,
        notes=(f"lines never run: {', '.join(map(str, missed[:30]))}",) if missed else (),
    )


def _one_scenario_per_state(scenarios: Sequence[Scenario]) -> list[Scenario]:
    seen: dict[bytes, Scenario] = {}
    for scenario in scenarios:
        seen.setdefault(canonical(scenario.state), scenario)
    return list(seen.values())
