"""What happens in a build, one item after the other, for people to read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Any, Literal

from envscaler_eval.playground.tree import tree

Mark = Literal["good", "warn", "bad", "plain"]
Data = Mapping[str, Any]

_CONTEXT = 2


@dataclass(frozen=True)
class BuildItem:
    """Something that came of a step.

    Attributes:
        kind: What it is, which decides what is shown of it.
        title: What happened.
        mark: Whether that is well.
        text: Why, or what was found.
        content: What else there is to see.
    """

    kind: str
    title: str
    mark: Mark = "plain"
    text: str = ""
    content: Data = field(default_factory=dict)


def of_stage(stage: str, record: Data, tasks: Mapping[str, str]) -> BuildItem:
    """Return what to tell of an item that has left a stage.

    Args:
        stage: The stage.
        record: The item, its status, and what it has become or why it has not.
        tasks: The requests of the build, by their ids.
    """
    about = tasks.get(record["item"], short(record["item"]))
    if record["status"] == "kept":
        return _KEPT[stage](about, record["value"])
    if record["status"] == "dropped":
        return BuildItem("dropped", _DROPPED[stage].format(about), "bad", record["reason"])
    return BuildItem("dropped", f"Not finished: {about}", "bad", record["reason"])


def _stateful(about: str, value: Data) -> BuildItem:
    return BuildItem("note", f"“{about}”", "good", value["reason"])


def _topic(about: str, value: Data) -> BuildItem:
    return BuildItem(
        "topic", f"It takes a system: {value['title']}", "plain", value["introduction"], value
    )


def _selected(about: str, value: Data) -> BuildItem:
    return BuildItem("note", f"To be built: {value['title']}", "good")


def _plan(about: str, value: Data) -> BuildItem:
    state, tools = value["state"], value["operations"]
    title = (
        f"Planned: {len(state['entities'])} kinds of record, {len(state['rules'])} rules, "
        f"{len(tools)} tools"
    )
    return BuildItem("plan", title, "good", "", {"state": state, "tools": tools})


def _program(about: str, value: Data) -> BuildItem:
    lines = len(value["source"].splitlines())
    title = f"Written: {value['plan']['state']['class_name']}, {lines} lines"
    return BuildItem("source", title, "good", "", {"source": value["source"]})


def _skeleton(about: str, value: Data) -> BuildItem:
    rates = " → ".join(f"{rate:.0%}" for rate in value["history"])
    return BuildItem("note", "The program is kept", "good", f"Tests passed, by version: {rates}.")


def _state(about: str, value: Data) -> BuildItem:
    records = sum(len(held) for held in value["state"].values() if isinstance(held, dict))
    return BuildItem(
        "state", f"Filled with {records} records", "good", value["about"],
        {"nodes": tree(value["state"]), "now": value["now"]},
    )  # fmt: skip


def _draft(about: str, value: Data) -> BuildItem:
    request = value["request"]
    content = {"checks": value["checks"], "kind": value["kind"]}
    return BuildItem("draft", f"Drafted: {_spaced(request['id'])}", "plain", request["task"],
                     content)  # fmt: skip


def _solved(about: str, value: Data) -> BuildItem:
    made = value["attempt"]["made"]
    return BuildItem(
        "calls", f"Solved: {about}", "good", value["attempt"]["report"] or "",
        {"made": made, "needed": len(value["solution"]), "repairs": value["repairs"]},
    )  # fmt: skip


def _proven(about: str, value: Data) -> BuildItem:
    if value["card"] is None:
        return BuildItem("note", f"Kept without proof: {about}", "warn")
    return BuildItem("audit", f"Proven: {about}", "good", "", {"items": value["card"]["items"]})


def _alternative(about: str, value: Data) -> BuildItem:
    (other, *_) = value["scenario"]["alternatives"]
    return BuildItem("note", f"Another way found for {about}", "good",
                     " → ".join(call["name"] for call in other))  # fmt: skip


_KEPT: dict[str, Callable[[str, Data], BuildItem]] = {
    "stateful": _stateful,
    "topics": _topic,
    "selected": _selected,
    "plans": _plan,
    "programs": _program,
    "skeletons": _skeleton,
    "states": _state,
    "drafts": _draft,
    "solved": _solved,
    "proven": _proven,
    "alternatives": _alternative,
}
_DROPPED = {
    "stateful": "Set aside: “{}”",
    "topics": "No system found for “{}”",
    "selected": "Not chosen: “{}”",
    "plans": "No plan for {}",
    "programs": "No program for {}",
    "skeletons": "The program is rejected",
    "states": "No initial state: {}",
    "drafts": "No scenario: {}",
    "solved": "Rejected: {}",
    "proven": "Rejected: {}",
    "alternatives": "No other way found for {}",
}


def of_finding(finding: str, item: str, record: Data) -> BuildItem | None:
    """Return what to tell of a finding, or `None` for what only the present work is told of.

    Args:
        finding: What was found.
        item: Of what.
        record: The rest.
    """
    match finding:
        case "tested":
            return _tested(record)
        case "assessed":
            return _assessed(record)
        case "repaired":
            title = f"Repair {record['number']}: {', '.join(record['methods'])}"
            changed = list(changed_lines(record["before"], record["after"]))
            return BuildItem("repair", title, "plain", record["diagnosis"], {"lines": changed})
        case "faulted":
            faults = record["faults"]
            return BuildItem("faults", f"At fault: {short(item)}", "warn", "", {"faults": faults})
        case "mended":
            return _mended(item, record)
        case _:
            return None


def of_reask(event: Data, tasks: Mapping[str, str]) -> BuildItem:
    """Return what to tell of an answer that could not be used."""
    title = f"Asked again: {of_step(event, tasks)}"
    return BuildItem("note", title, "warn", event["reason"])


def of_step(event: Data, tasks: Mapping[str, str]) -> str:
    """Return what an answer is, and of what, for people."""
    word = STEP_WORDS.get(event["step"], event["step"])
    item = event["item"]
    return f"{word}: {tasks[item] if item in tasks else short(item)}"


def _tested(record: Data) -> BuildItem:
    tests = record["tests"]
    counts = {mark: sum(test["verdict"] == mark for test in tests) for mark in _VERDICTS}
    told = ", ".join(f"{count} {_VERDICTS[mark]}" for mark, count in counts.items() if count)
    mark: Mark = "bad" if counts["fail"] else "warn" if counts["warning"] else "good"
    again = f" (version {record['version']})" if record["version"] > 1 else ""
    return BuildItem("tests", f"{record['tool']}{again}: {told}", mark, "", {"tests": tests})


def _assessed(record: Data) -> BuildItem:
    mark: Mark = "warn" if record["wants_repair"] else "good"
    title = "Inspection: " + (
        f"passed, {record['pass_rate']:.0%} of the tests"
        if record["accepted"]
        else f"failed, {record['pass_rate']:.0%} of the tests pass"
    )
    if not record["accepted"]:
        mark = "bad"
    told = "What is left goes back to the coder." if record["wants_repair"] else ""
    content = {"items": record["audit"], "faults": record["faults"], "notes": record["notes"]}
    return BuildItem("inspection", title, mark, told, content)


def _mended(item: str, record: Data) -> BuildItem:
    done = {
        "drop": "given up",
        "retry": "tried again",
        "repair": " and ".join(
            part for part, changed in (("request", record["request"]), ("checks", record["checks"]))
            if changed
        ) + " written anew",
    }[record["verdict"]]  # fmt: skip
    mark: Mark = "bad" if record["verdict"] == "drop" else "plain"
    return BuildItem("note", f"The author of {short(item)}: {done}", mark,
                     record["diagnosis"])  # fmt: skip


def changed_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the lines around each change: a sign (`+`, `-`, a blank, `@`) and the line."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=_CONTEXT)
    for number, line in enumerate(lines):
        # The first two lines name files, of which there are none.
        if number >= 2:
            yield line[0], "" if line[0] == "@" else line[1:]


def short(item: str) -> str:
    """Return an item's name without the environment's, for people."""
    head, _, rest = item.partition("/")
    return _spaced(rest or head)


def _spaced(name: str) -> str:
    return name.replace("_", " ").replace("/", ", ")


_VERDICTS = {"pass": "passed", "warning": "with a warning", "fail": "failed"}

STEP_WORDS = {
    "judge_stateful": "whether records are kept",
    "infer_topic": "which system it takes",
    "plan_state": "what is stored, and the rules",
    "plan_operations": "which tools there are",
    "write_class": "the class",
    "write_tool": "a tool",
    "write_starts": "a situation to test in",
    "test_tool": "tests of a tool",
    "judge_cases": "a ruling on tests",
    "break_rule": "a call that breaks a rule",
    "repair_program": "a repair",
    "write_state": "an initial state",
    "write_task": "a request",
    "write_checklist": "a checklist",
    "write_checks": "checks",
    "solve": "the agent's next calls",
    "repair_scenario": "a scenario's repair",
    "write_alternative": "another way",
}
"""What a step's answer is, for people."""
