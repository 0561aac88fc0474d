"""Recorded sessions: a model's answers without the model."""

import asyncio
import json
from pathlib import Path

import pytest
from inspect_ai.model import get_model

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.models import Models
from envscaler_eval.synth.pipeline import Run
from envscaler_eval.synth.sessions import Session
from tests.synth.colours import COLOURS, NAME_COLOUR, Colour

SESSION = """
- step: name_colour
  item: rose
  answer: The rose is red.
- step: name_colour
  item: rose
  attempt: 2
  answer: {colour: red, certainty: 9}
  usage: {input_tokens: 70, output_tokens: 10, total_tokens: 80}
"""


def replay(folder: Path, session: Path, *things: str) -> tuple[dict[str, str], Run]:
    async def run_it() -> tuple[dict[str, str], Run]:
        with Artefacts(folder) as artefacts:
            run = Run(artefacts, Models(f"session/{session}"))

            async def way(thing: str) -> Colour:
                return await run.stage(
                    COLOURS, thing, thing, lambda: run.ask(NAME_COLOUR, thing, thing=thing)
                )

            found = await run.each(things, way)
            return {thing: colour.colour for thing, colour in found}, run

    return asyncio.run(run_it())


def test_a_session_answers_in_the_place_of_a_model(tmp_path: Path) -> None:
    session = tmp_path / "session.yaml"
    session.write_text(SESSION)
    found, _ = replay(tmp_path / "run", session, "rose")
    assert found == {"rose": "red"}
    first, second = read_records(tmp_path / "run", "answers")
    assert first["text"] == "The rose is red."
    assert second["usage"]["input_tokens"] == 70


def test_the_answers_of_a_run_are_a_session(tmp_path: Path) -> None:
    session = tmp_path / "session.yaml"
    session.write_text(SESSION)
    replay(tmp_path / "run", session, "rose")
    found, _ = replay(tmp_path / "again", tmp_path / "run" / "answers.jsonl", "rose")
    assert found == {"rose": "red"}


def test_what_is_missing_is_told_with_its_prompt_and_stops_nothing(tmp_path: Path) -> None:
    session = tmp_path / "session.yaml"
    session.write_text(SESSION)
    found, run = replay(tmp_path / "run", session, "oak leaf", "rose")
    assert found == {"rose": "red"}
    told = run.unfinished["colours", "oak leaf"]
    assert "step 'name_colour', item 'oak leaf', attempt 1" in told
    prompt = tmp_path / "run" / "missing" / "name_colour--oak-leaf--1.md"
    assert str(prompt) in told
    assert "Name the colour of oak leaf." in prompt.read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("step: a", "no list"),
        ("- {step: a, item: b}", "answer 1: answer: Field required"),
        ("- {step: a, item: b, answer: 3}", "answer 1: answer"),
        ("- [", "valid YAML"),
    ],
)
def test_a_session_that_is_none_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "session.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=told):
        Session(file)
    with pytest.raises(UsageError, match="there is no session"):
        Session(tmp_path / "other.yaml")


def test_a_session_answers_only_the_synthesis(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"key": "k", "step": "a", "item": "b", "text": "c"}) + "\n")
    with pytest.raises(UsageError, match="envscaler synth"):
        asyncio.run(get_model(f"session/{file}").generate("Hello"))
