"""A sweep: a plan, its shards, and the folder that they fill."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from envscaler_eval.results.sweep_logs import MANIFEST
from envscaler_eval.sweep.limits import check_limits, connections
from envscaler_eval.sweep.plan import SweepPlan
from envscaler_eval.sweep.shard_run import FUNCTION, shard_payload
from envscaler_eval.sweep.shards import Shard, shards
from envscaler_eval.sweep.status import keys_without_logs
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.work import Item, Work, result_name


@dataclass(frozen=True)
class Sweep:
    """A plan that is ready to be run.

    Attributes:
        plan: The plan.
        shards: Its shards.
        items: Its shards as items of work.
        work: The function that runs one.
    """

    plan: SweepPlan
    shards: Sequence[Shard]
    items: Sequence[Item]
    work: Work


def prepare(plan: SweepPlan, store: Store, workers: int) -> Sweep:
    """Cut a plan into shards, and write down in the folder which there are.

    A plan that has grown goes on in its folder: what it had before keeps its key. A shard
    that was done and whose log is gone is to be done again.

    Args:
        plan: The plan.
        store: The folder.
        workers: How many shards run at once.

    Raises:
        UsageError: More could be in flight than the plan's limits allow, something that
            it names is not to be had, or the folder cannot be written.
    """
    check_limits(plan, workers)
    cut = shards(plan)
    items = [
        Item(
            one.key,
            shard_payload(
                one,
                connections([one.unit.model, *one.unit.roles.values()], plan.limits, workers),
                plan.sample_retries,
            ),
        )
        for one in cut
    ]
    manifest = {
        "plan": plan.model_dump(mode="json"),
        "shards": [
            {
                "key": one.key,
                "unit": one.unit.name,
                "label": one.unit.label,
                "task": one.unit.task,
                "samples": one.samples,
                "trials": one.unit.trials,
            }
            for one in cut
        ],
    }
    for key in keys_without_logs(store) & {one.key for one in cut}:
        store.remove(result_name(key))
    store.write(MANIFEST, json.dumps(manifest, indent=1).encode())
    return Sweep(plan, cut, items, Work(FUNCTION, store.root, tries=plan.retries + 1))
