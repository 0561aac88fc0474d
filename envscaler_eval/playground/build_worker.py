"""A process in which an environment is built while somebody watches.

It is given one line of JSON, the setting, and answers with lines of JSON: what a run tells
its watcher, and then the audit's progress and its cards. What it builds is the synthesis of
`envscaler synth`; that the programs of models run confined is seen to there.
"""

import asyncio
import os
import shutil
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from envscaler_eval.audit import PackCard, Selection, audit_packs, record_quality
from envscaler_eval.audit.report import failures, rates_text
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import read_pack
from envscaler_eval.playground.worker import Report, end_all, work
from envscaler_eval.synth.artefacts import Artefacts
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pack_folders import write_packs
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.skel_builder import Task
from envscaler_eval.synth.small_build import build_small, recorded_session, recorded_tasks
from envscaler_eval.synth.watching import Finding

AUDITORS = 1
"""How many processes audit; a playground has more to do."""

_RETRIES = 5
"""Fewer than of a run that nobody watches: a dead address is told in minutes."""


def main() -> None:
    """Build what standard input asks for."""
    work(_build_while_wanted)


def _build_while_wanted(setting: Mapping[str, Any], report: Report) -> None:
    threading.Thread(target=_end_with_the_playground, daemon=True).start()
    build(setting, report)


def build(setting: Mapping[str, Any], report: Report) -> None:
    """Go the whole way.

    Args:
        setting: The `idea` and the `model` that builds it, or neither for the recorded
            session; the `folder` of the run; whether weak isolation will do.
        report: Takes what happens.
    """
    folder = Path(setting["folder"])
    isolation = IsolationPolicy("isolated", setting["allow_weak_isolation"])
    with ExitStack() as stack:
        if setting["idea"] is None:
            session = stack.enter_context(recorded_session())
            tasks, models = recorded_tasks(session), Models(f"session/{session}")
        else:
            tasks = [Task(text=setting["idea"], source="idea")]
            models = Models(setting["model"], max_retries=_RETRIES)
        report({"event": "begun", "tasks": [{"id": task.id, "text": task.text} for task in tasks]})
        artefacts = stack.enter_context(Artefacts(folder))
        run = Run(artefacts, models, watcher=Teller(report))
        packs = asyncio.run(build_small(run, tasks, isolation))
    written = write_packs(packs, folder / "packs")
    if not written:
        unfinished = next(iter(run.unfinished.values()), "")
        report({"event": "ended", "pack": None, "unfinished": unfinished})
        return
    (place,) = written
    (card,) = audit_packs(
        [Selection(place)],
        AUDITORS,
        lambda done, total: report({"event": "audit", "done": done, "total": total}),
        isolation,
    )
    record_quality(place, card)
    pack = read_pack(place)
    file = shutil.make_archive(str(folder / pack.info.id), "zip", place.parent, place.name)
    report(
        {
            "event": "ended",
            "pack": {
                "id": pack.info.id,
                "title": pack.info.title,
                "scenarios": len(pack.scenarios),
                "tools": len(pack.environment.tools),
            },
            "zip": file,
            "audit": _told(card),
            "unfinished": next(iter(run.unfinished.values()), ""),
        }
    )


def _told(card: PackCard) -> dict[str, Any]:
    """Return what an audit has found, as a page shows it."""
    items = [item.model_dump(mode="json") for item in card.environment.items]
    return {
        "passed": card.passed,
        "environment": items,
        "scenarios": [
            {
                "name": scenario.scenario,
                "passed": scenario.passed,
                "items": [item.model_dump(mode="json") for item in scenario.items],
            }
            for scenario in card.scenarios
        ],
        "rates": rates_text([card]).splitlines(),
        "failures": failures([card]),
    }


class Teller:
    """A watcher that reports all it hears."""

    def __init__(self, report: Report) -> None:
        """Report to `report`."""
        self._report = report

    def entered(self, stage: str) -> None:
        """An item has come to a stage."""
        self._report({"event": "entered", "stage": stage})

    def left(self, stage: str, record: dict[str, Any]) -> None:
        """An item has left a stage."""
        self._report({"event": "left", "stage": stage, "record": record})

    def answered(self, record: dict[str, Any], *, fresh: bool) -> None:
        """A model has answered; in a folder of its own no question comes up twice but one
        that a repair asks anew, which costs nothing."""
        if fresh:
            told = {key: record[key] for key in ("step", "item", "role", "model", "usage")}
            self._report({"event": "answered", **told})

    def asked_again(self, record: dict[str, Any]) -> None:
        """An answer could not be used."""
        self._report({"event": "asked_again", **record})

    def found(self, finding: Finding, item: str, record: dict[str, Any]) -> None:
        """Something was found on the way."""
        self._report({"event": "found", "finding": finding, "item": item, "record": record})


def _end_with_the_playground() -> None:
    """End with all that was started, once the other end of the pipe is closed."""
    # Not through `sys.stdin`, whose lock the processes of the audit would inherit.
    while os.read(0, 1024):
        pass
    end_all()


if __name__ == "__main__":
    main()
