"""Assessing a program by two agents and the audit."""

import asyncio
from pathlib import Path

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.skel_builder.assembly import with_methods
from envscaler_eval.synth.skel_builder.assessing import AssessmentRules, assess
from envscaler_eval.synth.skel_builder.assessment import Assessment
from envscaler_eval.synth.skel_builder.coding import Program
from envscaler_eval.synth.skel_builder.plan import Plan
from envscaler_eval.synth.skel_builder.trial import Trials
from tests.synth.skel_builder.kennel import CLASS, FIND_DOGS, OPERATIONS, START, STATE, TOPIC

MOVE = '''def move_dog(self, dog_id: str, box_id: str) -> dict:
    """Move a dog.

    Args:
        dog_id: The dog.
        box_id: The box.
    """
    if dog_id not in self.dogs or box_id not in self.boxes:
        return {"success": False, "error": "There is no such dog or box"}
    if len(self._in_box(box_id)) >= self.boxes[box_id]["places"]:
        return {"success": False, "error": f"Box {box_id} is full"}
    self.dogs[dog_id]["box"] = box_id
    return {"success": True}
'''
LIST = '''def list_boxes(self) -> dict:
    """List the boxes."""
    return {"success": True, "boxes": sorted(self.boxes)}
'''
CLOSE = '''def close_box(self, box_id: str) -> dict:
    """Close a box.

    Args:
        box_id: The box.
    """
    if box_id not in self.boxes or self._in_box(box_id):
        return {"success": False, "error": "There is no such box, or dogs are in it"}
    del self.boxes[box_id]
    return {"success": True}
'''
SESSION = """
- {step: test_tool, item: kennel/find_dogs/round 1, answer: {cases: [
    {kind: positive, why: a dog, before: [], arguments: {name: Rex}, expects: success,
     breaks_rule: null},
    {kind: boundary, why: none, before: [], arguments: {name: ""}, expects: success,
     breaks_rule: null},
    {kind: negative, why: nobody, before: [], arguments: {name: Max}, expects: refusal,
     breaks_rule: null}]}}
- {step: judge_cases, item: kennel/find_dogs/round 1/version 1, answer: {rulings: [
    {case: 1, reason: Rex is found by no name., verdict: fail},
    {case: 2, reason: An empty name finds nothing., verdict: pass},
    {case: 3, reason: Nobody is of that name., verdict: pass}]}}
- {step: test_tool, item: kennel/list_boxes/round 1, answer: I do not know.}
- {step: test_tool, item: kennel/list_boxes/round 1, attempt: 2, answer: "{}"}
- {step: test_tool, item: kennel/list_boxes/round 1, attempt: 3, answer: {cases: []}}
- {step: test_tool, item: kennel/list_boxes/round 1, attempt: 4, answer: {cases: [
    {kind: negative, why: a wrong word, before: [], arguments: {word: x}, expects: refusal,
     breaks_rule: null}]}}
- {step: test_tool, item: kennel/move_dog/round 1, answer: {cases: [
    {kind: positive, why: into a box, before: [], arguments: {dog_id: D-2, box_id: X-1},
     expects: success, breaks_rule: null},
    {kind: boundary, why: where it is, before: [], arguments: {dog_id: D-1, box_id: X-1},
     expects: success, breaks_rule: null},
    {kind: negative, why: a full box, before: [
      {tool: move_dog, arguments: {dog_id: D-2, box_id: X-1}}],
     arguments: {dog_id: D-2, box_id: X-1}, expects: refusal, breaks_rule: 1}]}}
- {step: judge_cases, item: kennel/move_dog/round 1/version 1, answer: {rulings: [
    {case: 1, reason: It is moved., verdict: pass},
    {case: 2, reason: It stays., verdict: warning},
    {case: 3, reason: The box is full., verdict: pass}]}}
- {step: test_tool, item: kennel/close_box/round 1, answer: {cases: [
    {kind: positive, why: an empty box, before: [], arguments: {box_id: X-2}, expects: success,
     breaks_rule: null},
    {kind: boundary, why: the last box, before: [], arguments: {box_id: X-2}, expects: success,
     breaks_rule: null},
    {kind: negative, why: no box, before: [], arguments: {box_id: X-9}, expects: refusal,
     breaks_rule: null}]}}
- {step: judge_cases, item: kennel/close_box/round 1/version 1, answer: {rulings: [
    {case: 1, reason: It is gone., verdict: pass},
    {case: 2, reason: It is gone., verdict: pass},
    {case: 3, reason: There is none., verdict: pass}]}}
- {step: break_rule, item: kennel/rule 2, answer: {calls: [{tool: list_boxes, arguments: {}}]}}
- {step: break_rule, item: kennel/rule 2, attempt: 2, answer: {calls: []}}
- {step: break_rule, item: kennel/rule 2, attempt: 3, answer: {calls: [
    {tool: fly, arguments: {}}]}}
- {step: break_rule, item: kennel/rule 2, attempt: 4, answer: It cannot be broken.}
- {step: break_rule, item: kennel/rule 3, answer: {calls: [
    {tool: close_box, arguments: {box_id: X-2}}]}}
- {step: break_rule, item: kennel/rule 3, attempt: 2, answer: {calls: [
    {tool: move_dog, arguments: {dog_id: D-2, box_id: X-1}},
    {tool: close_box, arguments: {box_id: X-1}}]}}
- {step: judge_cases, item: kennel/rule 3/version 1, answer: {rulings: [
    {case: 1, reason: Dogs are in it., verdict: pass}]}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the assessment was recorded."""
    return tmp_path_factory.mktemp("assessment")


def assess_kennel(folder: Path, isolation: IsolationPolicy, close: str = CLOSE) -> Assessment:
    """Assess a kennel with the session's answers."""
    (folder / "session.yaml").write_text(SESSION)
    methods = {"find_dogs": FIND_DOGS, "move_dog": MOVE, "list_boxes": LIST, "close_box": close}
    plan = Plan(topic=TOPIC, state=STATE, operations=OPERATIONS)
    program = Program(plan=plan, source=with_methods(CLASS, "Kennel", methods))
    trials = Trials.of(program, isolation)
    boxes = {"X-1": {"places": 2}, "X-2": {"places": 1}}
    start = START.model_copy(update={"state": {**START.state, "boxes": boxes}})

    async def assessed() -> Assessment:
        with Artefacts(folder) as artefacts:
            run = Run(artefacts, Models(f"session/{folder / 'session.yaml'}"))
            return await assess(run, trials, [start], AssessmentRules(rounds=1, starts=1))

    return asyncio.run(assessed())


@pytest.fixture(scope="module")
def assessment(folder: Path) -> Assessment:
    """The assessment of a kennel, run in this process, for it is our own."""
    return assess_kennel(folder, IsolationPolicy(choice="in_process"))


def test_every_tool_is_tested(assessment: Assessment) -> None:
    tools = [tested.tool for tested in assessment.tested]
    assert {tool: tools.count(tool) for tool in tools} == {
        "find_dogs": 3,
        "list_boxes": 1,
        "move_dog": 3,
        "close_box": 4,
    }


def test_a_tool_without_a_usable_test_has_failed_one(assessment: Assessment) -> None:
    (tested,) = assessment.faults["list_boxes"]
    assert tested.verdict == "fail"
    assert "no usable answer in 4 attempts" in tested.reason


def test_rules_that_no_test_has_tried_are_put_to_the_proof(
    assessment: Assessment, folder: Path
) -> None:
    asked = {r["item"] for r in read_records(folder, "answers") if r["step"] == "break_rule"}
    assert asked == {"kennel/rule 2", "kennel/rule 3"}
    assert [rejection.rule for rejection in assessment.rejections] == [1, 3]
    assert [len(rejection.calls) for rejection in assessment.rejections] == [2, 2]


def test_calls_that_are_not_refused_prove_nothing(folder: Path) -> None:
    told = [r["reason"] for r in read_records(folder, "reasks") if r["item"] == "kennel/rule 3"]
    assert len(told) == 1
    assert "the last call is not refused" in told[0]


def test_a_rule_without_proof_is_a_fault(assessment: Assessment) -> None:
    assert list(assessment.unproven) == [2]
    assert any(note.startswith("rule 2: no test showed") for note in assessment.notes)
    assert not assessment.accepted


def test_only_what_failed_goes_back(assessment: Assessment) -> None:
    assert set(assessment.faults) == {"find_dogs", "list_boxes"}
    assert assessment.pass_rate == pytest.approx(8 / 11)
    assert "2 failed" in assessment.summary


def test_warnings_go_back_when_the_bar_is_missed_by_them_alone(assessment: Assessment) -> None:
    better = assessment.model_copy(
        update={"tested": tuple(t for t in assessment.tested if t.verdict != "fail")}
    )
    assert better.faults == {}
    strict = better.model_copy(update={"least_pass_rate": 1.0})
    assert set(strict.faults) == {"move_dog"}


def test_the_audit_sees_what_the_tests_have_shown(assessment: Assessment) -> None:
    failed = {item.name for item in assessment.items if not item.passed}
    assert failed == {"rules_reject"}


def test_a_program_that_never_ends_is_found_out(tmp_path: Path) -> None:
    first = "    if box_id not in"
    endless = CLOSE.replace(first, f'    while box_id == "nobody":\n        pass\n{first}')
    limits = Limits(call_cpu_seconds=0.2)
    found = assess_kennel(tmp_path, IsolationPolicy(allow_weak=True, limits=limits), endless)
    (item,) = found.items
    assert (item.name, item.passed) == ("robustness", False)
    assert "processor time" in item.notes[0]
    assert not found.accepted
