"""The calculator: Python's results and complaints, but no hanging."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_eval.benchmarks.tau_bench.calculator import calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2+2", "4.0"),
        ("  2 + 2 ", "4.0"),
        ("2 * ((350 - 122) + (499 - 127))", "1200.0"),
        ("7//2", "3.0"),
        ("-7//2", "-4.0"),
        ("2**3**2", "512.0"),
        ("-2**2", "-4.0"),
        ("1/3", "0.33"),
        ("-0.001", "-0.0"),
        (".5 + 1.", "1.5"),
        ("--1", "1.0"),
        ("10**400/10**399", "10.0"),
        ("1**(9**999)", "1.0"),
        ("+".join(["1"] * 500), "500.0"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("2^3", "invalid characters in expression"),
        ("abs(1)", "invalid characters in expression"),
        ("1/0", "division by zero"),
        ("", "invalid syntax (<string>, line 0)"),
        ("2 +", "invalid syntax (<string>, line 1)"),
        ("()", "float() argument must be a string or a real number, not 'tuple'"),
        ("...", "float() argument must be a string or a real number, not 'ellipsis'"),
        ("(-8)**.5", "float() argument must be a string or a real number, not 'complex'"),
        ("3(4)", "'int' object is not callable"),
        ("3.5(1/0)", "division by zero"),
        ("3(*4)", "3 argument after * must be an iterable, not int"),
        ("3(*())", "'int' object is not callable"),
        ("3(**4)", "3 argument after ** must be a mapping, not int"),
        ("()+1", 'can only concatenate tuple (not "int") to tuple'),
        ("10**400", "int too large to convert to float"),
    ],
)
def test_faults(expression: str, fault: str) -> None:
    assert calculate(expression) == f"Error: {fault}"


@pytest.mark.parametrize(
    "expression",
    ["9**9**9", "9**9**9**9", "(9**9**9)//7", "*".join(["9**60000"] * 500), "(-2)**(10**9)"],
)
def test_what_hangs_the_original_is_too_large(expression: str) -> None:
    assert calculate(expression) == "Error: int too large to convert to float"


def test_what_is_no_text_is_treated_as_upstream_does() -> None:
    assert calculate(["1", "+"]).startswith("Error: eval() arg 1 must be a string")
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        calculate(5)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123+-*/(). ", max_size=14))
def test_every_text_gives_a_number_or_an_error(expression: str) -> None:
    result = calculate(expression)
    assert result.startswith("Error: ") or isinstance(float(result), float)
