"""Forms made from schemas, and arguments read from what was typed into them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.playground.form_entries import shown_entries, with_entry, without_entry
from envscaler_eval.playground.form_fields import Field, form_of, place_of
from envscaler_eval.playground.form_reading import FormError, arguments_from_json, arguments_of


def _schema(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


LINES = {
    "type": "array",
    "items": _schema(["product", "units"], product={"type": "string"}, units={"type": "integer"}),
}


def _typed(value: Any, place: Field, name: str) -> dict[str, str]:
    """Return what a person types to give a value."""
    if place.kind == "object":
        return {
            key: text
            for inner in place.fields
            if inner.key in value
            for key, text in _typed(value[inner.key], inner, f"{name}/{inner.key}").items()
        }
    if place.kind in ("list", "mapping"):
        assert place.entry is not None
        texts = {f"{name}#": str(len(value))}
        keyed = value if place.kind == "mapping" else dict(enumerate(value))
        for number, (key, item) in enumerate(keyed.items()):
            inner = f"{name}/{number}"
            if place.kind == "mapping":
                texts[f"{inner}/key"] = str(key)
                inner = f"{inner}/value"
            texts.update(_typed(item, place.entry, inner))
        return texts
    if place.kind == "text":
        return {name: value}
    return {name: "" if value is None else json.dumps(value)}


def test_every_call_of_the_library_can_be_typed() -> None:
    seen = 0
    for folder in find_packs():
        pack = read_pack(folder)
        forms = {tool.name: form_of(tool.parameters) for tool in pack.environment.tools}
        assert not [one.key for form in forms.values() for one in form if one.kind == "json"]
        for scenario in pack.scenarios:
            for call in scenario.solution:
                texts: dict[str, str] = {}
                for place in forms[call.name]:
                    if place.key in call.arguments:
                        texts.update(_typed(call.arguments[place.key], place, place.key))
                told = {k: v for k, v in call.arguments.items() if v not in (None, "", [], {})}
                read = arguments_of(forms[call.name], texts)
                assert {k: v for k, v in read.items() if v not in (None, "", [], {})} == told
                seen += 1
    assert seen > 5000


@given(
    st.lists(
        st.fixed_dictionaries(
            {"product": st.text(min_size=1).filter(str.strip), "units": st.integers()}
        )
    )
)
def test_lists_of_objects_come_out_as_they_went_in(lines: list[dict[str, Any]]) -> None:
    form = form_of(_schema(["lines"], lines=LINES))
    texts = _typed(lines, form[0], "lines")
    expected = [{**line, "product": line["product"].replace("\r\n", "\n")} for line in lines[:50]]
    assert arguments_of(form, texts) == {"lines": expected}


def test_what_is_optional_and_empty_is_left_out() -> None:
    form = form_of(
        _schema(
            [],
            text={"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            flag={"type": "boolean", "default": False},
            count={"type": "integer", "default": 0},
            lines=LINES,
            nested=_schema(["a"], a={"type": "integer"}),
        )
    )
    empty = {"text": "", "flag": "", "count": " ", "lines#": "0", "nested/a": ""}
    assert arguments_of(form, empty) == {}
    given = {"text": " ", "flag": "false", "count": "0", "lines#": "0", "nested/a": "3"}
    assert arguments_of(form, given) == {
        "text": " ",
        "flag": False,
        "count": 0,
        "nested": {"a": 3},
    }


def test_choices_keep_their_types_and_unions_of_choices_are_one() -> None:
    form = form_of(
        _schema(
            ["n", "rule"],
            n={"enum": [1, 2, 3]},
            rule={"anyOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
        )
    )
    assert [place.choices for place in form] == [(1, 2, 3), ("a", "b", "c")]
    assert arguments_of(form, {"n": "2", "rule": '"c"'}) == {"n": 2, "rule": "c"}


def test_faults_name_their_fields() -> None:
    form = form_of(
        _schema(
            ["units", "price", "flag"],
            units={"type": "integer"},
            price={"type": "number"},
            flag={"type": "boolean"},
        )
    )
    with pytest.raises(FormError) as told:
        arguments_of(form, {"units": "three", "price": "true", "flag": "maybe"})
    assert told.value.faults == {
        "units": "is no whole number",
        "price": "is no number",
        "flag": "is neither yes nor no",
    }
    with pytest.raises(FormError, match="units: is needed"):
        arguments_of(form, {"price": "1.50", "flag": "true"})


def test_an_entry_is_added_at_the_end_and_removed_from_where_it_stands() -> None:
    form = form_of(_schema(["lines"], lines=LINES))
    lines = place_of(form, "lines")
    assert lines is not None
    assert shown_entries(lines, "lines", {}) == 1
    texts = _typed([{"product": p, "units": 1} for p in "abc"], lines, "lines")
    fewer = without_entry(texts, "lines", 1, 3)
    assert [line["product"] for line in arguments_of(form, fewer)["lines"]] == ["a", "c"]
    more = with_entry(fewer, "lines", 2)
    assert shown_entries(lines, "lines", more) == 3


def test_a_form_never_grows_without_bound() -> None:
    (lines,) = form_of(_schema(["lines"], lines=LINES))
    assert shown_entries(lines, "lines", {"lines#": "999999999"}) == 50


def test_places_are_found_by_their_names() -> None:
    form = form_of(
        _schema(
            [],
            groups={
                "type": "array",
                "items": _schema([], tags={"type": "array", "items": {"type": "string"}}),
            },
            amounts={"type": "object", "additionalProperties": {"type": "integer"}},
        )
    )
    assert (found := place_of(form, "groups/3/tags")) is not None
    assert found.kind == "list"
    assert place_of(form, "groups/tags") is None
    assert place_of(form, "nothing/0") is None


def test_arguments_may_be_written_as_json_and_nothing_else() -> None:
    assert arguments_from_json('{"a": [1, null]}') == {"a": [1, None]}
    for text in ("", "[1]", '{"a": 1', '{"a": NaN}', "[" * 100_000):
        with pytest.raises(FormError, match="json"):
            arguments_from_json(text)
