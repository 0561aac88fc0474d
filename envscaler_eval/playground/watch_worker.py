"""A process in which one sample is solved while somebody watches.

Inspect runs one evaluation in a process at a time, so each that is watched has a process.
It is given lines of JSON and answers with such: first the setting, then orders to the gate;
what happens comes out. The evaluation is that of the task, with its own solvers and scorer.
"""

import json
import sys
import threading
from collections.abc import Mapping
from typing import Any, TextIO

from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from envscaler_eval.playground.gate import Gate, Role
from envscaler_eval.playground.gated_model import Place, gated_model
from envscaler_eval.playground.worker import Report, end_all, work
from envscaler_eval.results.named_models import named_model
from envscaler_eval.solvers.record import EpisodeRecord, stored_record
from envscaler_eval.tasks import envscaler

_RETRIES = 3


def main() -> None:
    """Solve the sample that standard input names."""
    work(_run)


def _run(setting: Mapping[str, Any], report: Report) -> None:
    gate = Gate(report, setting["pace"], frozenset(setting["taken"]))
    threading.Thread(target=_take_orders, args=(sys.stdin, gate), daemon=True).start()

    def gated(role: Role, name: str) -> Model:
        # Who watches a dead address is not to wait for as long as who has gone to bed.
        behind = named_model(name, config=GenerateConfig(max_retries=_RETRIES))
        return gated_model(Place(role, behind, gate, report))

    mode = setting["mode"]
    (log,) = evaluate(
        envscaler(
            envs=[setting["pack"]],
            mode=mode,
            isolation=setting["isolation"],
            allow_weak_isolation=setting["allow_weak_isolation"],
        ),
        model=gated("agent", setting["agent"]),
        model_roles={"user": gated("user", setting["user"])} if mode == "conv" else None,
        sample_id=setting["sample"],
        log_dir=setting["log_dir"],
        display="none",
        score_display=False,
        log_realtime=False,
        # No other doors into the evaluation than the orders, and a quicker start.
        acp_server=False,
        ctl_server=False,
    )
    report(_ending(log))


def _take_orders(lines: TextIO, gate: Gate) -> None:
    for line in lines:
        gate.order(json.loads(line))
    # Nobody is there any more.
    end_all()


def _ending(log: EvalLog) -> Mapping[str, Any]:
    """Return how it ended."""
    sample = log.samples[0] if log.samples else None
    if log.error is not None or sample is None or sample.error is not None:
        error = sample.error if sample and sample.error else log.error
        return {"event": "failed", "why": error.message if error else "there is no sample"}
    record = stored_record(sample.store, EpisodeRecord)
    score = (sample.scores or {}).get("checklist")
    value = score.value if score else None
    return {
        "event": "ended",
        "ended_by": record.ended_by if record else "error",
        "breakdown": record.breakdown if record else None,
        # What has no checks has no rewards either, but one value that is no number.
        "reward": value.get("reward") if isinstance(value, dict) else None,
        "facts": (score.metadata if score else None) or {},
        "log": log.location,
    }


if __name__ == "__main__":
    main()
