"""Programs tried out, and what no call may do."""

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.runtime.confined.limits import Limits
from envscaler_eval.scenario import ToolCall
from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.skel_builder.assembly import with_methods
from envscaler_eval.synth.skel_builder.coding import Program
from envscaler_eval.synth.skel_builder.plan import Plan
from envscaler_eval.synth.skel_builder.situations import require_start
from envscaler_eval.synth.skel_builder.trial import Seen, Trials
from tests.synth.skel_builder.kennel import CLASS, FIND_DOGS, OPERATIONS, START, STATE, TOPIC

MOVE = '''def move_dog(self, dog_id: str, box_id: str) -> dict:
    """Move a dog.

    Args:
        dog_id: The dog.
        box_id: The box.
    """
    if dog_id not in self.dogs:
        return {"success": False, "error": f"There is no dog {dog_id}"}
    self.dogs[dog_id]["box"] = box_id
    if box_id not in self.boxes:
        return {"success": False, "error": f"There is no box {box_id}"}
    return {"success": True}
'''
LIST = '''def list_boxes(self) -> dict:
    """List the boxes."""
    self.next_dog += 1
    return {"success": True, "boxes": sorted(self.boxes)}
'''
CLOSE = '''def close_box(self, box_id: str) -> dict:
    """Close a box.

    Args:
        box_id: The box.
    """
    if box_id == "text":
        return "closed"
    del self.boxes[box_id]
    return {"success": True}
'''


@pytest.fixture(scope="module")
def trials() -> Trials:
    """A program with faults, in a confined process."""
    methods = {"find_dogs": FIND_DOGS, "move_dog": MOVE, "list_boxes": LIST, "close_box": CLOSE}
    plan = Plan(topic=TOPIC, state=STATE, operations=OPERATIONS)
    program = Program(plan=plan, source=with_methods(CLASS, "Kennel", methods))
    return Trials.of(program, IsolationPolicy(allow_weak=True))


def play(trials: Trials, name: str, **arguments: str) -> Seen:
    (seen,) = trials.play(START, [ToolCall(name=name, arguments=dict(arguments))])
    return seen


def test_programs_run_in_a_process_of_their_own(trials: Trials) -> None:
    assert trials.runtime.isolation.startswith("isolated")


def test_what_a_call_changes_is_told(trials: Trials) -> None:
    seen = play(trials, "move_dog", dog_id="D-2", box_id="X-1")
    assert seen.status == "ok"
    assert seen.changes == ('/dogs/D-2/box changed from null to "X-1"',)
    assert seen.faults == ()
    (deleted,) = play(trials, "close_box", box_id="X-1").changes
    assert deleted == '/boxes/X-1 was deleted: {"places": 2}'


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("list_boxes", {}, "is a query and changes the state"),
        ("move_dog", {"dog_id": "D-1", "box_id": "X-9"}, "fails and changes the state"),
        ("close_box", {"box_id": "X-9"}, "it raises"),
        ("close_box", {"box_id": "text"}, "does not return a dict"),
    ],
)
def test_what_no_call_may_do_is_a_fault(
    trials: Trials, tool: str, arguments: dict[str, str], told: str
) -> None:
    (fault,) = play(trials, tool, **arguments).faults
    assert told in fault


def test_a_tool_that_never_ends_is_a_fault(trials: Trials) -> None:
    endless = MOVE.replace(
        "    if dog_id not in", "    while dog_id:\n        pass\n    if dog_id not in"
    )
    source = with_methods(trials.program.source, "Kennel", {"move_dog": endless})
    policy = IsolationPolicy(allow_weak=True, limits=Limits(call_cpu_seconds=0.1))
    hanging = Trials.of(trials.program.model_copy(update={"source": source}), policy)
    (fault,) = play(hanging, "move_dog", dog_id="D-1", box_id="X-1").faults
    assert "processor time" in fault


def test_a_refusal_is_no_fault(trials: Trials) -> None:
    seen = play(trials, "move_dog", dog_id="D-9", box_id="X-1")
    assert (seen.status, seen.changes, seen.faults) == ("failed", (), ())


def test_calls_see_what_the_ones_before_did(trials: Trials) -> None:
    close = ToolCall(name="close_box", arguments={"box_id": "X-1"})
    first, second = trials.play(START, [close, close])
    assert (first.status, second.status) == ("ok", "raised")


def test_a_situation_must_fit_the_program(trials: Trials) -> None:
    require_start(trials, START, "situation 1")
    dogs = {"D-1": {"name": "Rex", "box": "X-7"}}
    wrong = START.model_copy(update={"state": {**START.state, "dogs": dogs}})
    with pytest.raises(AnswerFault, match=r"situation 1 does not fit.*\n.*'X-7'"):
        require_start(trials, wrong, "situation 1")


def test_a_situation_is_kept_as_it_is_given(trials: Trials) -> None:
    forgetful = trials.program.source.replace(
        "self.next_dog: int = 1", "self.next_dog: int = 1\n        self.forgotten: int = 1"
    )
    program = trials.program.model_copy(update={"source": forgetful})
    state = {**START.state}
    other = Trials.of(program, IsolationPolicy(allow_weak=True))
    with pytest.raises(AnswerFault, match="'forgotten' is missing"):
        require_start(other, START.model_copy(update={"state": state}), "situation 1")
