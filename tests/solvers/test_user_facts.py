"""What counts as a fact, and when two texts mention the same one."""

import pytest

from envscaler_eval.solvers.user_facts import facts, identifiers, new_facts


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Make it March 9th, please.", "from 2026-03-09 on"),
        ("the 9th of March", "from 2026-03-09 on"),
        ("on 3/9", "from 2026-03-09 on"),
        ("on 9 Mar", "March 9"),
        ("the 19th", "on 2026-03-19"),
        ("at 2:30 pm", "at 14:30"),
        ("at 2 pm, or 2pm", "at 14:00"),
        ("at 2", "at 14:00"),
        ("at 12:00", "at noon"),
        ("It costs $1,200.", "1200.00 in all"),
        ("3 nights", "three nights"),
        ("a 3-night stay", "three nights"),
        ("15 kg of it", "15kg"),
        ("booking bk 17, number 17", "BK-17"),
        ("order W123", "order #W123"),
        ("I'm here for Keller, for the Kellers", "Mrs Keller's room"),
        ("by Friday, ASAP, Dr OK?", ""),
        ("I have 2 things:\n1. this\n2. that", ""),
        ("The 2nd one, so option 2.", ""),
        ("No. Nothing. Really\nNothing", ""),
        ("Please do NOT move it.", ""),
    ],
)
def test_another_way_to_write_a_fact_is_no_new_fact(said: str, known: str) -> None:
    assert new_facts(said, [known]) == []


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ("on March 10th", "March 10th"),
        ("on 2026-03-10", "2026-03-10"),
        ("at 3:30 pm", "3:30 pm"),
        ("$1,250.50", "1,250.50"),
        ("for 7 nights", "7"),
        ("booking BK-18", "BK-18"),
        ("in room 204", "204"),
        ("write to ida@post.org", "ida@post.org"),
        ("ask for Keller", "Keller"),
        ("fly from JFK", "JFK"),
    ],
)
def test_a_fact_that_nobody_told_is_new(said: str, new: str) -> None:
    known = ["Move BK-17 to 2026-03-09, 14:30, three nights, $1,200, for Mrs Brandt."]
    assert new_facts(f"So please {said}.", known) == [new]


def test_each_fact_is_told_once_and_as_it_is_written() -> None:
    assert facts("I want BK-17, yes bk-17, for Mrs Keller.") == {
        "identifier bk17": "BK-17",
        "name keller": "Keller",
    }
    assert identifiers("BK-17 on 2026-03-09 for 3") == {"identifier bk17": "BK-17"}
