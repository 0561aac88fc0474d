"""What an initial state must look like."""

from typing import Any

import pytest

from envscaler_eval.synth.skel_builder.situations import references
from envscaler_eval.synth.state_form import StateForm
from tests.synth.skel_builder.kennel import CLASS, STATE

FORM = StateForm.of(CLASS, "Kennel", references(STATE))
SOUND: dict[str, Any] = {
    "dogs": {"D-1": {"name": "Rex", "box": "X-1"}, "D-2": {"name": "Lux", "box": None}},
    "boxes": {"X-1": {"places": 2}},
    "next_dog": 3,
}


def test_a_state_that_fits_has_no_faults() -> None:
    assert list(FORM.faults(SOUND)) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"next_dog": None}, "next_dog: null is not"),
        ({"next_dog": 3.0}, "next_dog: 3.0 is not"),
        ({"dogs": {"D-1": {"name": "Rex"}}}, "dogs['D-1']: \"box\" is a required"),
        ({"dogs": {"D-1": {"name": "Rex", "box": "X-9"}}}, "is 'X-9', which boxes lacks"),
        ({"boxes": {"X-1": {"places": 2, "wide": True}}}, "boxes['X-1']: Additional"),
        ({"cats": {}}, "no attribute 'cats'; it has dogs, boxes, next_dog"),
        ({"dogs": {1: {}}}, "the key 1"),
    ],
)
def test_what_does_not_fit_is_told(change: dict[str, Any], told: str) -> None:
    (fault,) = FORM.faults({**SOUND, **change})
    assert told in fault


def test_what_is_missing_is_told() -> None:
    assert list(FORM.faults({key: SOUND[key] for key in ("dogs", "boxes")})) == [
        "the attribute 'next_dog' is missing"
    ]
