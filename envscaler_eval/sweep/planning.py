"""What a plan asks of machines and providers, before it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from envscaler_eval.errors import UsageError
from envscaler_eval.estimate import Assumptions, Dialogue, Row, play_dialogue
from envscaler_eval.estimate import estimate as sum_up
from envscaler_eval.prices import Price
from envscaler_eval.sweep.capacity import Load
from envscaler_eval.sweep.limits import connections
from envscaler_eval.sweep.plan import ModelChoice, SweepPlan
from envscaler_eval.sweep.shards import Shard, Unit, shards
from envscaler_eval.sweep.work import content_key

# As many episodes as Inspect lets wait at once where nobody limits it.
_UNLIMITED = 100
_POLICY = "policy"


@dataclass(frozen=True)
class Pace:
    """What is assumed of models.

    Attributes:
        seconds: Seconds of a call of a model that is no policy; `None` if nobody has said.
        calls: Model calls of an episode; by default counted by the reference solutions.
        tokens: What decides tokens, and calls that are counted. Policies take as many calls
            as the reference solutions, whatever is assumed of models.
    """

    seconds: float | None
    calls: float | None
    tokens: Assumptions


@dataclass(frozen=True)
class UnitDemand:
    """What a line of the sweep's table asks for.

    Attributes:
        unit: The line.
        load: Its shards.
        rows: Calls and tokens by model, where they are counted; of all its episodes.
    """

    unit: Unit
    load: Load
    rows: Mapping[str, Row]

    def dollars(self, prices: Mapping[str, Price]) -> float | None:
        """Return what its tokens cost without a cache; `None` where that is not known."""
        asked = {model: row for model, row in self.rows.items() if not _is_policy(model)}
        if not self.rows or not asked.keys() <= prices.keys():
            return None
        return sum(
            prices[model].dollars(row.read, row.repeated, row.written, cached=False)
            for model, row in asked.items()
        )


def demands(plan: SweepPlan, workers: int, pace: Pace) -> list[UnitDemand]:
    """Return what each line of a plan's table asks for.

    Args:
        plan: The plan.
        workers: How many shards run at once.
        pace: What is assumed of models.

    Raises:
        UsageError: The plan cannot be run so, or its calls or their seconds are not known.
    """
    lines: dict[str, list[Shard]] = {}
    for shard in shards(plan):
        lines.setdefault(shard.unit.name, []).append(shard)
    counted: dict[str, list[Row]] = {}
    found = []
    for cut in lines.values():
        unit = cut[0].unit
        factor = 1.0 if _is_policy(unit.model.model) else pace.tokens.factor
        source = content_key([unit.task, unit.args, factor])
        if pace.calls is None and source not in counted:
            counted[source] = _counted(unit, replace(pace.tokens, factor=factor))
        found.append(_demand(plan, cut, workers, pace, counted.get(source, [])))
    return found


def _demand(
    plan: SweepPlan, cut: Sequence[Shard], workers: int, pace: Pace, rows: Sequence[Row]
) -> UnitDemand:
    unit = cut[0].unit
    samples = sum(len(shard.samples) for shard in cut)
    sides = {"agent": unit.model, "user": unit.roles.get("user", unit.model)}
    if pace.calls is not None:
        calls: dict[str, float] = {"agent": pace.calls}
    else:
        # Rows are of all samples that have a solution, each once.
        played = max(row.episodes for row in rows)
        calls = {row.side: row.calls / played for row in rows}
    seconds = {side: calls[side] * _seconds(sides[side], pace) for side in calls}
    players = [unit.model, *unit.roles.values()]
    shares = dict(
        zip(
            (choice.model for choice in players),
            connections(players, plan.limits, workers),
            strict=True,
        )
    )
    total = sum(seconds.values())
    # An episode waits for one side at a time: each side's share bears so many episodes.
    live = min(
        (
            (shares.get(sides[side].model) or _UNLIMITED) * total / spent
            for side, spent in seconds.items()
            if spent
        ),
        default=_UNLIMITED,
    )
    trials = unit.trials
    tokens: dict[str, Row] = {}
    for row in rows:
        model = sides[row.side].model
        scaled = _times(row, trials * samples / max(row.episodes for row in rows))
        tokens[model] = tokens[model].plus(scaled) if model in tokens else scaled
    load = Load(
        shards=len(cut),
        episodes=samples * trials / len(cut),
        calls=sum(calls.values()),
        seconds=total,
        live=max(1, int(min(live, (shares[unit.model.model] or _UNLIMITED)))),
    )
    return UnitDemand(unit, load, tokens)


def _seconds(model: ModelChoice, pace: Pace) -> float:
    if _is_policy(model.model):
        return 0.0
    if pace.seconds is None:
        raise UsageError(
            f"--seconds-per-call is needed: {model.name} is asked, and how long it takes to "
            "answer depends on where it is served"
        )
    return pace.seconds


def _is_policy(model: str) -> bool:
    return model.partition("/")[0] == _POLICY


def _times(row: Row, factor: float) -> Row:
    return replace(
        row,
        episodes=round(row.episodes * factor),
        calls=round(row.calls * factor),
        read=row.read * factor,
        repeated=row.repeated * factor,
        written=row.written * factor,
    )


def _counted(unit: Unit, assumptions: Assumptions) -> list[Row]:
    """Play the reference solutions of a unit's samples; return calls and tokens by side."""
    if unit.task != "envscaler":
        raise UsageError(
            f"--calls is needed: the samples of {unit.task} have no reference solutions to count by"
        )
    played = [("all", dialogue) for dialogue in _dialogues(unit)]
    if not played:
        raise UsageError("--calls is needed: no sample has a reference solution to count by")
    return sum_up(played, assumptions)


def _dialogues(unit: Unit) -> "list[Dialogue]":
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.solvers.protocol import PROTOCOLS
    from envscaler_eval.tasks.dataset import listed, select_packs

    args = cast(dict[str, Any], dict(unit.args))
    packs = {
        pack.info.id: pack for pack in select_packs(listed(args.get("envs", "")), args.get("split"))
    }
    policy = IsolationPolicy(args.get("isolation", "auto"), args.get("allow_weak_isolation", False))
    runtimes = {name: policy.runtime(pack) for name, pack in packs.items()}
    found = []
    for sample in unit.build().dataset:
        about = sample.metadata or {}
        pack = packs[about["env"]]
        scenario = pack.scenario(about["scenario"])
        if scenario.solution:
            rules = PROTOCOLS[args.get("protocol", "default")]
            runtime = runtimes[pack.info.id]
            found.append(play_dialogue(pack, scenario, runtime, about["mode"], rules))
    return found
