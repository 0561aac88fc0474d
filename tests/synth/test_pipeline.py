"""Items on their way: recorded once, none stopping another."""

import asyncio
from contextvars import Context
from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.synth.artefacts import Artefacts, read_records
from envscaler_eval.synth.models import Models, role_models
from envscaler_eval.synth.outcome import Dropped
from envscaler_eval.synth.pipeline import Run
from tests.synth.colours import COLOURS, RIGHT, Colour, Oracle, colours


def test_one_bad_item_does_not_stop_the_rest(tmp_path: Path) -> None:
    oracle = Oracle("nonsense", "nonsense", "nonsense", RuntimeError("down"), RIGHT)
    found = asyncio.run(colours(tmp_path, oracle, "smoke", "mist", "rose"))
    assert set(found.values()) == {"red"}
    statuses = {r["item"]: r["status"] for r in read_records(tmp_path, "stage_colours")}
    assert sorted(statuses.values()) == ["dropped", "kept"]


def test_what_was_dropped_stays_dropped_and_what_failed_is_tried_again(tmp_path: Path) -> None:
    first = Oracle("nonsense")
    assert asyncio.run(colours(tmp_path, first, "smoke")) == {}
    failing = Oracle(RuntimeError("down"))
    assert asyncio.run(colours(tmp_path, failing, "rose")) == {}
    second = Oracle(RIGHT)
    assert asyncio.run(colours(tmp_path, second, "smoke", "rose")) == {"rose": "red"}
    assert len(second.prompts) == 1


def test_a_fault_of_the_work_itself_is_reported_and_not_recorded(tmp_path: Path) -> None:
    async def broken() -> Colour:
        raise KeyError("hue")

    async def run_it() -> dict[tuple[str, str], str]:
        with Artefacts(tmp_path) as artefacts:
            run = Run(artefacts, Models(Oracle(RIGHT).model))
            await run.each(["rose"], lambda item: run.stage(COLOURS, item, item, broken))
            return run.unfinished

    assert asyncio.run(run_it()) == {("colours", "rose"): "KeyError: 'hue'"}
    assert list(read_records(tmp_path, "stage_colours")) == []


def test_no_more_items_at_once_than_allowed(tmp_path: Path) -> None:
    at_once = highest = 0

    async def way(item: int) -> int:
        nonlocal at_once, highest
        at_once += 1
        highest = max(highest, at_once)
        for _ in range(5):
            await asyncio.sleep(0)
        at_once -= 1
        return item

    async def run_it() -> list[tuple[int, int]]:
        with Artefacts(tmp_path) as artefacts:
            return await Run(artefacts, Models(), concurrency=3).each(range(20), way)

    assert asyncio.run(run_it()) == [(n, n) for n in range(20)]
    assert highest == 3


def test_another_model_makes_an_outcome_anew(tmp_path: Path) -> None:
    async def outcome(run: Run, colour: str) -> Colour:
        async def work() -> Colour:
            return Colour(colour=colour, certainty=1)

        return await run.stage(COLOURS, "rose", "rose", work)

    async def run_it() -> list[str]:
        with Artefacts(tmp_path) as artefacts:
            one = Run(artefacts, Models("mockllm/one"))
            other = Run(artefacts, Models("mockllm/one", {"miner": "mockllm/other"}))
            made = [await outcome(one, "red"), await outcome(other, "blue")]
            made.append(await outcome(one, "green"))
            return [colour.colour for colour in made]

    assert asyncio.run(run_it()) == ["red", "blue", "red"]


def test_a_drop_is_told_to_who_called(tmp_path: Path) -> None:
    async def work() -> Colour:
        raise Dropped("it has none")

    async def run_it() -> None:
        with Artefacts(tmp_path) as artefacts:
            await Run(artefacts, Models("mockllm/one")).stage(COLOURS, "air", "air", work)

    for _ in range(2):
        with pytest.raises(Dropped, match="it has none"):
            asyncio.run(run_it())


def test_a_role_without_a_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)

    async def run_it() -> None:
        with Artefacts(tmp_path) as artefacts:
            run = Run(artefacts, Models())

            async def never() -> Colour:
                raise AssertionError

            await run.each(["rose"], lambda item: run.stage(COLOURS, item, item, never))

    with pytest.raises(UsageError, match=r"role 'miner'.*--model-role miner=NAME"):
        # An evaluation before this test has left its model in the context.
        Context().run(asyncio.run, run_it())


@pytest.mark.parametrize("entry", ["coder", "coder=", "cook=mockllm/one"])
def test_a_model_is_given_to_a_role_that_there_is(entry: str) -> None:
    assert role_models(["coder=openai/a/b=c"]) == {"coder": "openai/a/b=c"}
    with pytest.raises(UsageError, match="ROLE=MODEL"):
        role_models([entry])
