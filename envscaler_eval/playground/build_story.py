"""The story of a build, told from what a run tells its watcher."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from envscaler_eval.playground.build_items import (
    BuildItem,
    of_finding,
    of_reask,
    of_stage,
    of_step,
    short,
)
from envscaler_eval.synth.spending import Spending

ChapterState = Literal["waiting", "working", "done", "failed"]

CHAPTERS = {
    "Requests": ("stateful", "topics", "selected"),
    "Plan": ("plans",),
    "Code": ("programs",),
    "Inspection": ("skeletons",),
    "Scenarios": ("states", "drafts"),
    "Solutions": ("solved",),
    "Proofs": ("proven",),
    "Audit": (),
}
"""The parts of the way as they are shown, with the stages of each."""

_AUDIT = "Audit"


@dataclass(frozen=True)
class Chapter:
    """A part of the way.

    Attributes:
        name: What it is called.
        state: How far it is.
        note: What came of it so far.
    """

    name: str
    state: ChapterState
    note: str


@dataclass
class ScenarioSoFar:
    """What has become of a scenario.

    Attributes:
        task: The request.
        state: `drafted`, `solved`, `proven` or `rejected`.
        reason: Why it was rejected.
    """

    task: str
    state: Literal["drafted", "solved", "proven", "rejected"] = "drafted"
    reason: str = ""


class BuildStory:
    """What is known of a build.

    Attributes:
        items: What has happened.
        title: What is being built, once that is known.
        source: The program, in its newest version.
        repairs: How often it was repaired.
        scenarios: Those that were drafted, by name.
        now: What is being done, in words.
        spending: What models have read and written.
        reasks: How many answers could not be used.
        ending: The last event, once there is one.
    """

    def __init__(self) -> None:
        """Begin at the beginning."""
        self.items: list[BuildItem] = []
        self.title = ""
        self.source = ""
        self.repairs = 0
        self.scenarios: dict[str, ScenarioSoFar] = {}
        self.now = "Starting …"
        self.spending = Spending()
        self.reasks = 0
        self.ending: Mapping[str, Any] | None = None
        self._tasks: dict[str, str] = {}
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._tested: set[tuple[str, str]] = set()
        self._audited = (0, 0)

    @property
    def zip(self) -> str | None:
        """The file of the pack, if one came of it."""
        return self.ending.get("zip") if self.ending else None

    @property
    def audit(self) -> Mapping[str, Any] | None:
        """What the audit of the pack has found."""
        return self.ending.get("audit") if self.ending else None

    @property
    def chapters(self) -> Sequence[Chapter]:
        """The parts of the way, and how far each is."""
        return [self._chapter(name, stages) for name, stages in CHAPTERS.items()]

    def take(self, event: Mapping[str, Any]) -> None:
        """Take what the worker reports."""
        match event["event"]:
            case "begun":
                self._tasks = {task["id"]: task["text"] for task in event["tasks"]}
                self.now = "Reading the requests …"
            case "entered":
                self._counts[event["stage"]]["entered"] += 1
            case "left":
                self._leave(event["stage"], event["record"])
            case "answered":
                self.spending.add(event, {})
                self.now = f"The {event['role']} wrote {of_step(event, self._tasks)}"
            case "asked_again":
                self.reasks += 1
                self.items.append(of_reask(event, self._tasks))
            case "found":
                self._find(event["finding"], event["item"], event["record"])
            case "audit":
                self._audited = event["done"], event["total"]
                self.now = (
                    f"Auditing the pack: part {event['done']} of {event['total']} …"
                    if event["total"]
                    else "This very pack was audited before: what was found then holds."
                )
            case "ended" | "failed":
                self.ending = event
                self.now = self._last_words(event)

    def fail(self, why: str) -> None:
        """End with a reason, unless it has ended already."""
        if self.ending is None:
            self.take({"event": "failed", "why": why})

    def _leave(self, stage: str, record: Mapping[str, Any]) -> None:
        self._counts[stage][record["status"]] += 1
        self.items.append(of_stage(stage, record, self._tasks))
        kept = record["status"] == "kept"
        if stage == "selected" and kept:
            self.title = record["value"]["title"]
        elif stage == "programs" and kept:
            self.source = record["value"]["source"]
        elif stage == "skeletons" and kept:
            # The best version is kept, which need not be the last.
            self.source = record["value"]["program"]["source"]
        elif stage == "drafts" and kept:
            request = record["value"]["request"]
            name = f"{record['value']['env']}/{request['id']}"
            self.scenarios[name] = ScenarioSoFar(request["task"])
        elif stage in ("solved", "proven"):
            scenario = self.scenarios.setdefault(record["item"], ScenarioSoFar(""))
            if kept:
                scenario.state = "solved" if stage == "solved" else "proven"
            else:
                scenario.state, scenario.reason = "rejected", record["reason"]

    def _find(self, finding: str, item: str, record: Mapping[str, Any]) -> None:
        if finding == "auditing":
            self.now = (
                f"Trying to earn the reward of “{short(item)}” without the work …"
                if record["what"] == "scenario"
                else "Auditing the program: wrong arguments, refusals, replays …"
            )
            return
        if finding == "tested":
            # What a repair left alone keeps its tests, which were told before.
            key = record["tool"], str(record)
            if key in self._tested:
                return
            self._tested.add(key)
        elif finding == "repaired":
            self.repairs += 1
            self.source = record["after"]
        told = of_finding(finding, item, record)
        if told is not None:
            self.items.append(told)

    def _chapter(self, name: str, stages: Sequence[str]) -> Chapter:
        if name == _AUDIT:
            return self._audit_chapter()
        counts = [self._counts[stage] for stage in stages if stage in self._counts]
        kept = counts[-1]["kept"] if counts else 0
        dropped = sum(count["dropped"] + count["unfinished"] for count in counts)
        left = sum(count["kept"] + count["dropped"] + count["unfinished"] for count in counts)
        entered = sum(count["entered"] for count in counts)
        told = [f"{kept} kept"] * (left > 0) + [f"{dropped} set aside"] * (dropped > 0)
        state: ChapterState = "done"
        if not entered:
            state = "waiting"
        elif left < entered:
            state = "failed" if self.ending else "working"
            told = [f"{left} of {entered}"] * (entered > 1)
        elif not kept:
            state = "failed"
        return Chapter(name, state, ", ".join(told))

    def _audit_chapter(self) -> Chapter:
        done, total = self._audited
        if self.audit is not None:
            passed = bool(self.audit["passed"])
            return Chapter(_AUDIT, "done" if passed else "failed", "passed" if passed else "failed")
        if total:
            return Chapter(_AUDIT, "failed" if self.ending else "working", f"{done} of {total}")
        return Chapter(_AUDIT, "waiting", "")

    def _last_words(self, event: Mapping[str, Any]) -> str:
        if event["event"] == "failed":
            return f"It failed: {event['why']}"
        unfinished = f" Unfinished: {event['unfinished']}" if event["unfinished"] else ""
        pack = event["pack"]
        if pack is None:
            return f"No pack came of it; the story says why.{unfinished}"
        count = pack["scenarios"]
        return (
            f"Done: {pack['title']}, {pack['tools']} tools, {count} "
            f"scenario{'' if count == 1 else 's'}. The audit "
            f"{'passes' if event['audit']['passed'] else 'finds fault'}.{unfinished}"
        )
