"""YAML by the 1.2 core schema."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval import core_yaml

_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=30)
_CONTENT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "text",
    ["2026-03-01", "2026-03-09T08:30:00", "no", "yes", "on", "off", "09:30", "0012", "1_000"],
)
def test_what_looks_like_a_date_a_time_or_a_word_stays_text(text: str) -> None:
    assert core_yaml.load(f"value: {text}") == {"value": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        (".inf", math.inf),
    ],
)
def test_plain_scalars_are_read_by_the_core_schema(text: str, value: object) -> None:
    read = core_yaml.load(f"value: {text}")["value"]
    assert read == value
    assert type(read) is type(value)


def test_a_key_that_occurs_twice_is_refused_with_its_line() -> None:
    with pytest.raises(core_yaml.YamlError, match=r"line 2: key 'a' occurs twice"):
        core_yaml.load("a: 1\na: 2\n")


def test_a_key_that_occurs_twice_deep_inside_is_refused() -> None:
    with pytest.raises(core_yaml.YamlError, match="key 'b' occurs twice"):
        core_yaml.load("- a: [{b: 1, b: 2}]")


def test_a_key_that_is_no_string_is_refused() -> None:
    with pytest.raises(core_yaml.YamlError, match="key 12 is no string; quote it"):
        core_yaml.load("12: twelve")


@pytest.mark.parametrize("text", ["a: [1, 2", "a: b: c", "\t- x", "!!python/object:os.system {}"])
def test_text_that_is_no_yaml_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(core_yaml.YamlError) as refusal:
        core_yaml.load(text)
    assert "\n" not in str(refusal.value)


def test_text_of_several_lines_is_written_as_a_block() -> None:
    assert "code: |" in core_yaml.dump({"code": "def check(a, b):\n    return True\n"})


@given(_CONTENT)
def test_what_is_written_is_read_back(content: Any) -> None:
    assert core_yaml.load(core_yaml.dump(content)) == content
