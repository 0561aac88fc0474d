"""Plans that fit together."""

from typing import Any

import pytest
from pydantic import ValidationError

from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.skel_builder.plan import Operation, StatePlan, require_workable
from tests.synth.skel_builder.kennel import OPERATIONS, STATE


def changed(place: str, value: Any) -> dict[str, Any]:
    plan = STATE.model_dump(mode="json")
    at: Any = plan
    *path, last = place.split(".")
    for key in path:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    return plan


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("entities.1.container", "dogs", "attribute name 'dogs' is used twice"),
        ("entities.1.name", "Dog", "type name 'Dog' is used twice"),
        ("entities.0.name", "Kennel", "type name 'Kennel' is used twice"),
        ("entities.0.container", "lambda", "is a word of Python"),
        ("entities.0.container", "Dogs", "should match pattern"),
        ("entities.0.attributes", [], "at least 1 item"),
        ("entities", [], "at least 2 items"),
        ("rules", ["Too short."] * 3, "rule 1 is too short"),
        ("rules", ["There is only this one rule."], "at least 3 items"),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(
    place: str, value: object, told: str
) -> None:
    StatePlan.model_validate(STATE.model_dump())
    with pytest.raises(ValidationError, match=told):
        StatePlan.model_validate(changed(place, value), strict=False)


def test_a_reference_leads_to_a_container() -> None:
    plan = STATE.model_dump(mode="json")
    plan["entities"][0]["attributes"][1]["refers_to"] = "cages"
    with pytest.raises(ValidationError, match=r"Dog.box refers to 'cages'.*dogs, boxes"):
        StatePlan.model_validate(plan, strict=False)


def workable(*operations: Operation, fewest: int = 4) -> None:
    require_workable(operations, STATE, fewest, 8)


def test_operations_that_make_up_a_system_pass() -> None:
    workable(*OPERATIONS)


def test_operations_that_do_not_are_refused_with_the_reason() -> None:
    find, boxes, move, close = OPERATIONS
    with pytest.raises(AnswerFault, match="there are 3 operations; give 4 to 8"):
        workable(find, boxes, move)
    with pytest.raises(AnswerFault, match="'find_dogs' is there twice"):
        workable(find, find, move, close)
    with pytest.raises(AnswerFault, match="cannot be called 'dogs'"):
        workable(find.model_copy(update={"name": "dogs"}), boxes, move, close)
    with pytest.raises(AnswerFault, match="fewer than two operations of kind query"):
        workable(find, move, close, move.model_copy(update={"name": "take_dog"}))
    with pytest.raises(AnswerFault, match=r"enforces rule 3 \(A box with dogs is not closed"):
        workable(find, boxes, move, close.model_copy(update={"enforces": ()}))
    with pytest.raises(AnswerFault, match="there is no rule 9; there are rules 1 to 3"):
        workable(find, boxes, move, close.model_copy(update={"enforces": (3, 9)}))


def test_a_query_enforces_nothing() -> None:
    find, boxes, move, close = OPERATIONS
    asks = find.model_copy(update={"enforces": (3,)})
    with pytest.raises(AnswerFault, match="no state_change operation enforces rule 3"):
        workable(asks, boxes, move, close.model_copy(update={"enforces": ()}))
