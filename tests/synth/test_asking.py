"""Answers that fit, and asking again for those that do not."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ModelOutput

from envscaler_eval.synth.answer import AnswerFault, parse_answer
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.outcome import Dropped, Unfinished
from envscaler_eval.synth.pipeline import Run
from tests.synth.colours import NAME_COLOUR, RIGHT, Colour, Oracle


def ask(
    folder: Path,
    oracle: Oracle,
    check: Callable[[Colour], None] | None = None,
    response_schema: bool = True,
) -> Colour:
    async def asked() -> Colour:
        with Artefacts(folder) as artefacts:
            run = Run(artefacts, Models(oracle.model, response_schema=response_schema))
            return await run.ask(NAME_COLOUR, "rose", check, thing="a rose")

    return asyncio.run(asked())


@pytest.mark.parametrize(
    "reply",
    [
        RIGHT,
        f"```json\n{RIGHT}\n```",
        f"A rose, I think.\n\n```\n{RIGHT}\n```\nDone.",
        f"The answer is {RIGHT}.",
        f'<think>{{"colour": "blue"}} or red?</think>\n\n{RIGHT}',
    ],
)
def test_the_object_is_found_in_a_reply(reply: str) -> None:
    assert parse_answer(reply, Colour).colour == "red"


@given(st.text() | st.text(alphabet='{}[]":,colure19 \\\n`'))
def test_whatever_a_model_says_is_data_or_a_fault(reply: str) -> None:
    try:
        parse_answer(reply, Colour)
    except AnswerFault as fault:
        assert str(fault)


def test_line_ends_within_strings_are_taken() -> None:
    assert parse_answer('{"colour": "a\nb", "certainty": 1}', Colour).colour == "a\nb"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("I cannot say.", "no JSON object"),
        ('{"colour": ' + "[" * 100_000, "can be read"),
        ('{"certainty": ' + "1" * 5000 + "}", "can be read"),
        ('{"colour": "red", "certainty": 9', "no valid JSON"),
        ('{"colour": "red"}', "certainty: Field required"),
        ('{"colour": "red", "certainty": "9"}', "certainty: Input should be a valid integer"),
        ('{"colour": "red", "certainty": 9, "hue": 4}', "hue: Extra inputs"),
    ],
)
def test_a_fault_is_told_in_words(reply: str, told: str) -> None:
    with pytest.raises(AnswerFault, match=told):
        parse_answer(reply, Colour)


def test_the_second_question_quotes_the_fault_of_the_first_answer(tmp_path: Path) -> None:
    oracle = Oracle('{"colour": "red"}', RIGHT)
    assert ask(tmp_path, oracle).colour == "red"
    first, second = oracle.prompts
    assert second[: len(first)] == first
    assert second[-2] == '{"colour": "red"}'
    assert "certainty: Field required" in second[-1]


def test_why_it_was_asked_again_is_recorded(tmp_path: Path) -> None:
    ask(tmp_path, Oracle("red", RIGHT))
    (reask,) = read_records(tmp_path, "reasks")
    assert (reask["step"], reask["item"], reask["attempt"]) == ("name_colour", "rose", 1)
    assert "no JSON object" in reask["reason"]


def test_an_answer_that_a_check_refuses_is_asked_for_again(tmp_path: Path) -> None:
    def not_red(answer: Colour) -> None:
        if answer.colour == "red":
            raise AnswerFault("roses of this kind are never red")

    oracle = Oracle(RIGHT, '{"colour": "white", "certainty": 5}')
    assert ask(tmp_path, oracle, check=not_red).colour == "white"
    assert "never red" in oracle.prompts[1][-1]


def test_after_the_last_attempt_the_item_is_dropped_with_the_reason(tmp_path: Path) -> None:
    oracle = Oracle("red")
    with pytest.raises(Dropped, match=r"name_colour: no usable answer in 3 attempts: .*no JSON"):
        ask(tmp_path, oracle)
    assert len(oracle.prompts) == 3


def test_a_reply_that_was_cut_off_is_not_read(tmp_path: Path) -> None:
    cut = ModelOutput.from_content("mockllm/model", RIGHT, stop_reason="max_tokens")
    oracle = Oracle(cut, RIGHT)
    ask(tmp_path, oracle)
    assert "cut off" in oracle.prompts[1][-1]


def test_a_provider_that_fails_is_no_fault_of_the_item(tmp_path: Path) -> None:
    with pytest.raises(Unfinished, match="attempt 1: RuntimeError: the line is dead"):
        ask(tmp_path, Oracle(RuntimeError("the line is dead")))


def test_no_question_is_asked_twice(tmp_path: Path) -> None:
    oracle = Oracle("red", RIGHT)
    first = ask(tmp_path, oracle)
    assert ask(tmp_path, oracle) == first
    assert len(oracle.prompts) == 2


def test_a_provider_gets_the_schema_unless_told_otherwise(tmp_path: Path) -> None:
    with_schema, without = Oracle(RIGHT), Oracle(RIGHT)
    ask(tmp_path / "with", with_schema)
    ask(tmp_path / "without", without, response_schema=False)
    (config,) = with_schema.configs
    assert config.response_schema is not None
    assert config.response_schema.name == "name_colour"
    assert set(config.response_schema.json_schema.properties or {}) == {"colour", "certainty"}
    assert without.configs[0].response_schema is None
    assert with_schema.prompts == without.prompts


def test_answers_with_fields_of_any_name_are_not_forced_into_a_schema() -> None:
    class Call(Colour):
        arguments: dict[str, int]

    assert NAME_COLOUR.closed
    assert not type(NAME_COLOUR)("name_colour", "miner", Call, "tests.synth").closed
