"""Agreement with the official code, which is run from the fetched wheel.

By default on a part of the mutated trajectories; `ENVSCALER_BFCL_FULL=1` goes
through all of them.
"""

import json
import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import bfcl_official
from bfcl_mutations import MUTATIONS, Turns, mutated

from envscaler_eval.audit.ground_truth import audit_ground_truth
from envscaler_eval.benchmarks.bfcl import CATEGORIES, Dataset, Snapshot, check, load
from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.data import installed
from envscaler_eval.benchmarks.bfcl.decoding import decode_text
from envscaler_eval.benchmarks.bfcl.faults import faults
from envscaler_eval.benchmarks.bfcl.oracle import oracle_calls
from envscaler_eval.benchmarks.bfcl.tools import held_out, offered, tool_specs
from envscaler_eval.benchmarks.bfcl.world import BfclWorld
from envscaler_eval.benchmarks.ground_truth import GROUND_TRUTHS

KINDS = [mutation.__name__ for mutation in MUTATIONS]
EVERY = 1 if os.environ.get("ENVSCALER_BFCL_FULL") else 40

TEXTS = (
    "[ls(a=True), cd(folder='x y')]",
    "ls(a=True)",
    "```[ls()]```",
    "['ls()']",
    "[f(1, b=[1, {'c': None}], d=-2, e=not 3)]",
    "[f(x=2*3+1, y='a'+'b', z=1_000)]",
    "[f(x=true, y=g(a=1), z=h(2), w=l[0], v=...)]",
    "[f(x={'a': {'b': 1}}, y={'a': {'b': 1}, 'c': 2}, z=[{'a': {}}])]",
    "[a.b.c(x=1), g(**k)]",
    "[f(x={})]",
    "[f(x={1})]",
    "[f(x=a.b)]",
    "[f(x='it\\'s \"x\" (y)')]",
    "[f(x=(1,), y=())]",
    "[], []",
    "[]",
    "",
    "I can't do that.",
    "Sure: [ls()]",
    "{'f': 1}",
    "(f(), g())",
)


def official(command: str, snapshot: Snapshot, lines: list[Any]) -> list[Any]:
    """Ask the official code, in a process of its own."""
    done = subprocess.run(
        [sys.executable, bfcl_official.__file__, command, str(installed(snapshot))],
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@cache
def oracles(snapshot: Snapshot) -> dict[str, Turns]:
    """Return the ground truth of each entry as a model would call it."""
    dataset = load(snapshot)
    return {
        entry.id: [
            [[{"name": call.name, "arguments": dict(call.arguments)} for call in calls]]
            for calls in oracle_calls(dataset, entry)
        ]
        for entry in dataset.entries.values()
    }


def trajectories(snapshot: Snapshot, kind: str, every: int) -> list[tuple[str, Turns]]:
    """Return trajectories of a kind, of each n-th entry."""
    classes = {entry.id: entry.classes for entry in load(snapshot).entries.values()}
    start = random.Random(kind).randrange(every)
    return [
        (name, mutated(turns, kind, classes[name], name))
        for name, turns in list(oracles(snapshot).items())[start::every]
    ]


def test_the_ground_truth_passes(snapshot: Snapshot) -> None:
    failed = [
        (name, verdict.error_type)
        for name, turns in oracles(snapshot).items()
        if not (verdict := check(snapshot, name, turns)).valid
    ]
    assert len(oracles(snapshot)) == 800
    expected = {"v4": [], "v3": [("multi_turn_base_154", "multi_turn:force_terminated")]}
    assert failed == expected[snapshot]


def test_verdicts_do_not_depend_on_order_or_repetition(snapshot: Snapshot) -> None:
    paid = [case for case in trajectories(snapshot, "shared_card", 1) if "long" in case[0]]
    backwards = [check(snapshot, name, turns) for name, turns in reversed(paid)]
    assert [check(snapshot, name, turns) for name, turns in paid] == backwards[::-1]


def test_verdicts_are_the_official_ones(snapshot: Snapshot) -> None:
    cases = [
        (kind, *trajectory)
        for kind in KINDS
        for trajectory in trajectories(snapshot, kind, 1 if kind == "exact" else EVERY)
    ]
    expected = official("verdicts", snapshot, [case[1:] for case in cases])
    assert len(expected) == len(cases)
    differing = [
        (kind, name, (verdict.valid, verdict.error_type), told)
        for (kind, name, turns), told in zip(cases, expected, strict=True)
        if [(verdict := check(snapshot, name, turns)).valid, verdict.error_type] != told
    ]
    assert differing == []


def test_observations_are_the_official_ones(snapshot: Snapshot) -> None:
    dataset = load(snapshot)
    kinds = ["exact", "unknown_keyword", "unknown_tool", "spaced_brackets", "integers_as_floats"]
    cases = [case for kind in kinds for case in trajectories(snapshot, kind, EVERY)]
    expected = official("observations", snapshot, cases)
    for (name, turns), told in zip(cases, expected, strict=True):
        entry = dataset.entry(name)
        world = BfclWorld(entry, Backends(dataset.backends, entry.long_context))
        calls = [call for steps in turns for step in steps for call in step]
        seen = [world.call(call["name"], call["arguments"]) for call in calls]
        if snapshot == "v3":
            # Its instances are called after their classes in small letters.
            for class_name in entry.classes:
                instance = f"{class_name}_instance"
                seen = [text.replace(instance, instance.lower()) for text in seen]
        assert seen == told, name


def test_texts_are_read_as_officially(snapshot: Snapshot) -> None:
    told = official("decodings", snapshot, list(TEXTS))
    assert [decode_text(text, snapshot) for text in TEXTS] == told


def test_tools_are_offered_as_officially(snapshot: Snapshot) -> None:
    dataset = load(snapshot)
    names = list(dataset.entries)[::40]
    for name, told in zip(names, official("tools", snapshot, names), strict=True):
        specs = tool_specs(_without_hints(offered(dataset, dataset.entry(name), 0)))
        ours = [
            {"name": s.name, "description": s.description, "parameters": dict(s.parameters)}
            for s in specs
        ]
        assert ours == told, name


def test_the_hint_is_the_official_one(snapshot: Snapshot) -> None:
    dataset = load(snapshot)
    entry = dataset.entry("multi_turn_base_0")
    hinted = offered(dataset, entry, 0)[0]["description"]
    plain = dataset.docs[entry.classes[0]][0]["description"]
    place = "utils.py" if snapshot == "v4" else "model_handler/utils.py"
    source = (Path(installed(snapshot)) / "bfcl_eval" / place).read_text()
    assert repr(hinted.removeprefix(plain)).replace("'", '"') in source


def test_the_system_prompt_is_the_official_one(snapshot: Snapshot) -> None:
    dataset = load(snapshot)
    docs = offered(dataset, dataset.entry("multi_turn_base_0"), 0)
    (told,) = official("prompt", snapshot, [docs])
    assert dataset.prompts.system(docs) == told


def test_the_ground_truth_is_the_ceiling_and_doing_nothing_the_floor(snapshot: Snapshot) -> None:
    name = "bfcl" if snapshot == "v4" else "bfcl_v3"
    bounds = audit_ground_truth(GROUND_TRUTHS[name](None))
    assert {bound.group.rpartition("/")[2] for bound in bounds} == set(CATEGORIES)
    assert {(bound.floor.count, bound.floor.total) for bound in bounds} == {(0, 200)}
    unsolved = [task for bound in bounds for task in bound.unsolved]
    assert unsolved == ["bfcl/v3/multi_turn_base_154"] * (snapshot == "v3")


def test_held_out_tools_are_where_the_questions_are_empty(snapshot: Snapshot) -> None:
    dataset = load(snapshot)
    for entry in dataset.entries.values():
        silent = {turn for turn, said in enumerate(entry.turns) if not said}
        assert silent == set(entry.held_out), entry.id
        for turn, names in entry.held_out.items():
            assert [doc["name"] for doc in held_out(dataset, entry, turn)] == list(names)
            assert entry.ground_truth[turn - 1] == ()


def test_tagged_faults_are_in_the_data(snapshot: Snapshot) -> None:
    dataset = load(snapshot)
    tagged = {entry.id: faults(snapshot, entry) for entry in dataset.entries.values()}
    assert ("extra_answer" in tagged["multi_turn_base_154"]) is (snapshot == "v3")
    assert sum("exclusion_ignored" in tags for tags in tagged.values()) == (
        72 if snapshot == "v4" else 0
    )
    for name, tags in tagged.items():
        entry = dataset.entry(name)
        early, ever = _uses_of_held_out(dataset, name)
        assert ("needs_hidden_tool" in tags) is early, name
        assert ("needless_reveal" in tags) is (bool(entry.held_out) and not ever), name


def _uses_of_held_out(dataset: Dataset, name: str) -> tuple[bool, bool]:
    """Return whether held-out tools are needed before they are revealed, and at all."""
    calls = oracle_calls(dataset, dataset.entry(name))
    uses = [
        (turn, reveal)
        for reveal, names in dataset.entry(name).held_out.items()
        for turn, made in enumerate(calls)
        for call in made
        if call.name in names
    ]
    return any(turn < reveal for turn, reveal in uses), bool(uses)


def _without_hints(docs: list[Any]) -> list[Any]:
    hint = " Note that the provided function is in Python 3 syntax."
    return [{**doc, "description": doc["description"].removesuffix(hint)} for doc in docs]
