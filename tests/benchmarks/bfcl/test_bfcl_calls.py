"""What calls come to, by the official rules and without `eval`."""

from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.benchmarks.bfcl import Dataset
from envscaler_eval.benchmarks.bfcl.backends import Backends
from envscaler_eval.benchmarks.bfcl.calls import Call, call_text
from envscaler_eval.benchmarks.bfcl.guards import guarded
from envscaler_eval.benchmarks.bfcl.world import BfclWorld

FAILED = "Error during execution: "


@pytest.fixture
def world(small: Dataset) -> BfclWorld:
    """A fresh world of an entry."""
    entry = small.entry("multi_turn_base_0")
    return BfclWorld(entry, Backends(small.backends, entry.long_context))


class TestObservations:
    @pytest.mark.parametrize(
        ("name", "arguments", "expected"),
        [
            ("open_ticket", {"title": "Ä"}, '{"number": 2, "title": "\\u00c4"}'),
            ("titles", {}, "['Old']"),
            ("note", {"text": "plain"}, "plain"),
            ("note", {"text": 5.0}, "5.0"),
            ("note", {"text": True}, "True"),
            ("note", {"text": None}, "None"),
            ("forget", {}, "None"),
            ("whole", {}, "{'self': <class 'bfcl_eval.eval_checker.multi_turn_eval."
             "func_source_code.ticket_api.TicketAPI'>}"),
            ("close_ticket", {"number": 9}, '{"error": "no ticket 9"}'),
            ("close_ticket", {"number": "1"}, '{"closed": "1"}'),
            ("crash", {}, FAILED + "it broke"),
        ],
    )  # fmt: skip
    def test_results_have_the_official_form(
        self, world: BfclWorld, name: str, arguments: dict[str, Any], expected: str
    ) -> None:
        assert world.call(name, arguments) == expected

    @pytest.mark.parametrize(
        ("name", "arguments", "expected"),
        [
            ("nope", {}, "name 'nope' is not defined"),
            ("nope", {"x": 1}, "name 'nope' is not defined"),
            ("TicketAPI.titles", {}, "name 'TicketAPI' is not defined"),
            ("get-titles", {}, "name 'get' is not defined"),
            ("_load_scenario", {"scenario": {}}, "name '_load_scenario' is not defined"),
            ("exit", {}, "Function call exit is not allowed."),
            ("os.remove", {"path": "x"}, "Function call remove is not allowed."),
            ("titles", {"bad": 1}, "TicketAPI.titles() got an unexpected keyword argument 'bad'"),
            ("note", {}, "TicketAPI.note() missing 1 required positional argument: 'text'"),
            ("note", {"self": 1}, "TicketAPI.note() got multiple values for argument 'self'"),
            ("note", {"text": float("inf")}, "name 'inf' is not defined"),
            ("note", {"text": [float("nan")]}, "name 'nan' is not defined"),
            ("note", {"class": 1}, "invalid syntax (<string>, line 1)"),
            ("note", {"a b": 1}, "invalid syntax. Perhaps you forgot a comma?"),
            ("note", {"a-b": 1}, "expression cannot contain assignment"),
            ("1st", {}, "invalid decimal literal (<string>, line 1)"),
        ],
    )
    def test_faults_are_told_in_the_official_words(
        self, world: BfclWorld, name: str, arguments: dict[str, Any], expected: str
    ) -> None:
        assert world.call(name, arguments).startswith(FAILED + expected)

    def test_a_space_before_a_bracket_in_a_text_gets_lost(self, world: BfclWorld) -> None:
        assert world.call("note", {"text": "total (2), and (3)"}) == "total(2), and(3)"

    def test_a_tool_before_a_bracket_in_a_text_gets_an_instance(self, world: BfclWorld) -> None:
        expected = "model_multi_turn_base_0_TicketAPI_instance.note(x)"
        assert world.call("note", {"text": "note (x)"}) == expected

    def test_nothing_else_in_texts_changes(self, world: BfclWorld) -> None:
        text = 'it\'s "(a\\b)"\n\t\x00. ( ) \ud800 日本 inf'
        assert world.call("note", {"text": text}) == text

    def test_an_escaped_character_before_a_bracket_counts_as_a_name(self, world: BfclWorld) -> None:
        assert world.call("note", {"text": "\x00 (2)"}) == "\x00(2)"

    def test_arguments_are_not_shared_with_the_state(self, world: BfclWorld) -> None:
        tags = ["a"]
        world.call("open_ticket", {"title": "t", "tags": tags})
        tags.append("b")
        assert world.state()["TicketAPI"]["tickets"]["2"]["tags"] == ["a"]


class TestCallsInText:
    def test_positional_arguments_and_nested_calls_work(self, world: BfclWorld) -> None:
        assert world.execute("note(len_('x'))") == FAILED + "name 'len_' is not defined"
        assert world.execute("note(titles())") == "['Old']"
        assert world.execute("note(text=(-1, {'a': [+2.5]}, not 1))") == (
            "(-1, {'a': [2.5]}, False)"
        )

    @pytest.mark.parametrize(
        "text",
        [
            "note(text=__import__('pathlib').Path('{place}').touch())",
            "note(text=open('{place}', 'w'))",
            "open('{place}', 'w')",
            "note(**{'text': open('{place}', 'w')})",
            "note(*[open('{place}', 'w')])",
            "note(text=[open('{place}', 'w') for _ in 'x'])",
            "note(text=(lambda: open('{place}', 'w'))())",
            "note(text=f\"{open('{place}', 'w')}\")",
            "note.__self__._load_scenario({})",
            "note(text=note.__func__.__globals__)",
            "(note)(text=1) if open('{place}', 'w') else 2",
            "titles().append(open('{place}', 'w'))",
            "titles()[0]",
            "note(text=1) or 2",
        ],
    )
    def test_nothing_but_tools_is_ever_run(
        self, world: BfclWorld, tmp_path: Path, text: str
    ) -> None:
        place = tmp_path / "written"
        before = world.state()
        assert world.execute(text.replace("{place}", str(place))).startswith(FAILED)
        assert not place.exists()
        assert world.state() == before

    def test_names_that_hold_code_run_none(self, world: BfclWorld, tmp_path: Path) -> None:
        place = tmp_path / "written"
        world.call(f"open('{place}', 'w') or note", {"text": "x"})
        world.call("note", {f"text=open('{place}', 'w'), x": 1})
        world.call("note", {f"text=1), open('{place}', 'w'), note(x": 1})
        assert not place.exists()


class TestGuards:
    def test_results_too_long_to_be_shown_are_not_computed(self) -> None:
        def power(base: Any, exponent: Any) -> Any:
            return base**exponent

        with pytest.raises(ValueError, match="Exceeds the limit"):
            guarded(power)(base=9, exponent=10**9)
        assert guarded(power)(base=2, exponent=10) == 1024
        assert guarded(power)(2.0, 0.5) == 2**0.5
        with pytest.raises(TypeError, match="missing 1 required"):
            guarded(power)(2)

    def test_texts_are_not_repeated_without_end(self) -> None:
        def multiply(a: Any, b: Any) -> Any:
            return a * b

        with pytest.raises(MemoryError):
            guarded(multiply)("abc", 10**12)
        assert guarded(multiply)("ab", 2) == "abab"

    def test_precision_is_bounded(self) -> None:
        def logarithm(value: Any, base: Any, precision: Any) -> Any:
            return precision

        with pytest.raises(ValueError, match="limited"):
            guarded(logarithm)(value=2, base=10, precision=10**9)
        assert guarded(logarithm)(2, 10, 50) == 50


def test_the_official_form_keeps_types() -> None:
    call = Call("f", {"a": 1, "b": 1.0, "c": "1", "d": [True, None]})
    assert call_text(call) == "f(a=1,b=1.0,c='1',d=[True, None])"
