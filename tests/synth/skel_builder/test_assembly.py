"""Programs put together and taken apart."""

import ast
import textwrap

import pytest

from envscaler_eval.synth.answer import AnswerFault
from envscaler_eval.synth.skel_builder.assembly import (
    method_names,
    method_source,
    read_method,
    require_described,
    with_imports,
    with_methods,
    without_tools,
)
from tests.synth.skel_builder.kennel import CLASS, FIND_DOGS


def test_a_method_is_added_at_the_end_of_its_class() -> None:
    source = with_methods(CLASS + "\n\nLIMIT = 3\n", "Kennel", {"find_dogs": FIND_DOGS})
    assert method_names(source, "Kennel") == ["__init__", "_in_box", "find_dogs"]
    assert source.endswith("LIMIT = 3\n")
    assert method_source(source, "Kennel", "find_dogs").strip() == FIND_DOGS.strip()


def test_comments_are_kept() -> None:
    source = with_methods(CLASS, "Kennel", {"find_dogs": FIND_DOGS})
    assert "# the number of the next dog" in source
    assert "# In the order of their numbers." in source


def test_a_method_takes_the_place_of_the_old_one() -> None:
    source = with_methods(CLASS, "Kennel", {"find_dogs": FIND_DOGS})
    new = FIND_DOGS.replace("sorted(self.dogs)", "self.dogs")
    again = with_methods(source, "Kennel", {"find_dogs": new, "_in_box": "def _in_box(self): ..."})
    assert method_names(again, "Kennel") == ["__init__", "_in_box", "find_dogs"]
    assert "sorted(self.dogs)" not in again
    assert "return sorted(key" not in again


def test_texts_of_several_lines_mean_the_same_inside_the_class() -> None:
    method = 'def note(self) -> dict:\n    return {"success": True, "text": """a\nb"""}\n'
    source = with_methods(CLASS, "Kennel", {"note": method})
    constants = [n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)]
    assert "a\nb" in constants


def test_without_its_tools_a_program_keeps_types_and_helpers() -> None:
    source = with_methods(CLASS, "Kennel", {"find_dogs": FIND_DOGS})
    assert without_tools(source, "Kennel").strip() == CLASS.strip()


def test_imports_are_added_once_behind_the_docstring() -> None:
    added = ["from datetime import datetime", "from typing import TypedDict", "import re"]
    source = with_imports(CLASS, [*added, "import re"])
    assert source.startswith('"""A kennel."""\n\nfrom typing')
    assert source.count("TypedDict\n") == CLASS.count("TypedDict\n")
    assert source.count("import re\n") == 1
    assert with_imports('"""Only a docstring."""\n', ["import re"]).endswith('"""\nimport re\n')
    assert with_imports("x = 1\n", ["import re"]) == "import re\nx = 1\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def other(self): ...", "is called 'other'; call it 'find_dogs'"),
        ("class A:\n    def find_dogs(self): ...", "must be the one method"),
        ("import re\ndef find_dogs(self): ...", "2 statements"),
        ("@staticmethod\ndef find_dogs(self): ...", "decorators"),
        ("def find_dogs(name): ...", "`self`"),
        ("def find_dogs(self, *names): ...", "no \\*args"),
        ("def find_dogs(self:", "no Python"),
    ],
)
def test_what_is_no_single_method_is_refused(code: str, told: str) -> None:
    assert read_method(textwrap.indent(FIND_DOGS, "    "), "find_dogs") == FIND_DOGS.strip("\n")
    with pytest.raises(AnswerFault, match=told):
        read_method(code, "find_dogs")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: str", "name", "'name' has no type"),
        ("name: str", "name: Dogs", "'name' has no type"),
        ("        name: The name.", "", "'name' is not described"),
    ],
)
def test_a_tool_that_an_agent_could_not_use_is_refused(old: str, new: str, told: str) -> None:
    source = with_methods(CLASS, "Kennel", {"find_dogs": FIND_DOGS})
    require_described(source, "Kennel", ["find_dogs"])
    with pytest.raises(AnswerFault, match=told):
        require_described(source.replace(old, new, 2), "Kennel", ["find_dogs"])
