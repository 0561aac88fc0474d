"""Watching from its orders to its end, whatever the model or the scenario is."""

import asyncio
import html
import re
from pathlib import Path

import pytest
from inspect_ai.model import GenerateConfig, get_model

from envscaler_eval.pack import read_pack
from envscaler_eval.playground.gate import Gate
from envscaler_eval.playground.gated_model import Place, gated_model
from tests.pack_files import a_scenario, write_pack
from tests.playground.conftest import Serve
from tests.playground.processes import eventually
from tests.playground.visits import Visit

START = 240.0


def _status(page: str) -> str:
    told = re.search(r'id="status".*?>(.*?)</div>', page, re.DOTALL)
    assert told is not None
    return html.unescape(re.sub(r"<[^>]+>", "", told[1])).strip()


def test_a_model_that_there_is_none_of_is_told(serve: Serve, tmp_path: Path) -> None:
    url = serve(packs=[read_pack(write_pack(tmp_path))], models=["nowhere/model"])
    with Visit(url) as visitor:
        choice = {"env": "stock_room", "scenario": "restock", "agent": "nowhere/model"}
        visitor.post("/watch/start", **choice)
        assert eventually(lambda: "It failed" in _status(visitor.get("/watch")), START)
        assert _status(visitor.get("/watch")).startswith("It failed: model 'nowhere/model': ")


def test_a_model_that_does_not_answer_is_told_with_the_reason() -> None:
    # Nothing listens at this port.
    dead = get_model(
        "openai-api/dead/model",
        base_url="http://127.0.0.1:9/v1",
        api_key="none",
        config=GenerateConfig(max_retries=0),
        memoize=False,
    )
    model = gated_model(Place("user", dead, Gate(lambda event: None, 0), lambda event: None))
    with pytest.raises(ConnectionError, match="openai-api/dead/model does not answer: Connection"):
        asyncio.run(model.generate("Hello?"))


def test_what_cannot_be_graded_is_watched_to_its_end(serve: Serve, tmp_path: Path) -> None:
    packs = [read_pack(write_pack(tmp_path, scenarios=[a_scenario(checks=None)]))]
    with Visit(serve(packs=packs)) as visitor:
        visitor.post("/watch/start", env="stock_room", scenario="restock", pace="0")
        assert eventually(lambda: "Ended" in _status(visitor.get("/watch")), START)
        assert "not graded" in _status(visitor.get("/watch"))


def test_what_an_order_changes_comes_with_the_stream_alone(serve: Serve, tmp_path: Path) -> None:
    """An answer that came later than the stream would put back what was, such as no form."""
    with Visit(serve(packs=[read_pack(write_pack(tmp_path))])) as visitor:
        choice = {"env": "stock_room", "scenario": "restock", "user": "you"}
        visitor.post("/watch/start", **choice)
        assert visitor.post("/watch/order", order="take", role="agent")["parts"] == {}
        assert eventually(lambda: "as the user." in _status(visitor.get("/watch")), START)
        assert visitor.post("/watch/say", text="Three bolts, please.")["parts"] == {}
        assert eventually(lambda: "as the agent." in _status(visitor.get("/watch")), START)
        assert visitor.post("/watch/call/list_items")["parts"] == {}
        assert eventually(lambda: "item observation" in visitor.get("/watch"), START)
