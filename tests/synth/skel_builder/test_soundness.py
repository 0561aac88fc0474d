"""What is said against a program before it runs."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.skel_builder.assembly import read_method, with_methods
from envscaler_eval.synth.skel_builder.soundness import require_class, require_method
from tests.synth.skel_builder.kennel import CLASS, FIND_DOGS, STATE

TOOLS = ["find_dogs", "list_boxes", "move_dog", "close_box"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("class Kennel:", "class Cattery:", "no class 'Kennel'"),
        ("def __init__", "def _init", "no `__init__`"),
        ("        self.boxes: dict[str, Box] = {}\n", "", "does not set `self.boxes`"),
        (": int = 1", ": int = 1\n        self.extra: int = 2", "`self.extra`, which was not"),
        (": int = 1", " = 1", "annotate `self.next_dog`"),
        ("dict[str, Dog]", "dict", "exactly box, name"),
        ("    places: int", "    spaces: int", "exactly places; it has spaces"),
        ("from typing", "import os\nfrom typing", "imports os"),
        ("self.dogs:", "self.dogs::", "no Python"),
    ],
)
def test_a_class_that_is_not_as_planned_is_refused(old: str, new: str, told: str) -> None:
    require_class(CLASS, STATE)
    assert old in CLASS
    with pytest.raises(AnswerFault, match=told):
        require_class(CLASS.replace(old, new), STATE)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("self.dogs)", "self.dog)", "uses `self.dog`, which the class lacks.*dogs, boxes"),
        ("sorted(", "arranged(", "uses 'arranged', which the module neither defines"),
        ("name == key", "name == datetime.now()", "uses 'datetime'"),
        ("sorted(self.dogs)", "eval(name)", "may not be done here"),
        ("        name: The name.", "", "not described"),
    ],
)
def test_a_method_that_cannot_work_is_refused(old: str, new: str, told: str) -> None:
    def require(text: str) -> None:
        source = with_methods(CLASS, "Kennel", {"find_dogs": text})
        require_method(source, STATE, TOOLS, "find_dogs")

    require(FIND_DOGS)
    require(FIND_DOGS.replace("self.dogs)", "self._in_box(name))"))
    require(FIND_DOGS.replace("self.dogs)", "self.list_boxes())"))
    assert old in FIND_DOGS
    with pytest.raises(AnswerFault, match=told):
        require(FIND_DOGS.replace(old, new))


def test_names_within_comprehensions_and_inner_functions_are_known() -> None:
    text = (
        "def close_box(self, box_id: str) -> dict:\n"
        '    """Close a box.\n\n    Args:\n        box_id: The box.\n    """\n'
        "    def size(key: str) -> int:\n"
        "        return len(key)\n"
        "    found = [key for key in self.boxes if size(key) > max(map(len, self.dogs))]\n"
        '    return {"success": True, "found": found, "box": box_id}\n'
    )
    require_method(with_methods(CLASS, "Kennel", {"close_box": text}), STATE, TOOLS, "close_box")


@given(st.text(), st.integers(0, len(CLASS)), st.integers(0, 80))
def test_whatever_a_coder_writes_passes_or_is_refused(text: str, at: int, length: int) -> None:
    for code in (text, CLASS[:at] + text + CLASS[at + length :]):
        with suppress(AnswerFault):
            require_class(code, STATE)
    cut = at % len(FIND_DOGS)
    with suppress(AnswerFault):
        method = read_method(FIND_DOGS[:cut] + text + FIND_DOGS[cut + length :], "find_dogs")
        source = with_methods(CLASS, "Kennel", {"find_dogs": method})
        require_method(source, STATE, TOOLS, "find_dogs")
