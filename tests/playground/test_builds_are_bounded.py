"""Builds: few at once, one for each visitor, and nothing left of those that are given up."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.playground import Bounds
from tests.playground.conftest import Serve
from tests.playground.processes import eventually, workers
from tests.playground.visits import Visit

pytestmark = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="there is no /proc to count processes in"
)
WEAK = IsolationPolicy("isolated", allow_weak=True)
START = 90


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files of builds go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def _folders(scratch: Path) -> int:
    return len(list(scratch.glob("envscaler-worker-*")))


def test_one_build_more_than_there_are_places_is_told_so(serve: Serve, scratch: Path) -> None:
    url = serve(isolation=WEAK, bounds=Bounds(builds=1))
    with Visit(url) as first, Visit(url) as second:
        assert not first.post("/build/start", recorded="1")["fault"]
        fault = second.post("/build/start", recorded="1")["fault"]
        assert "are being built already (1)" in fault
        first.post("/build/leave")
        assert not second.post("/build/start", recorded="1")["fault"]


def test_a_visitor_who_builds_anew_gives_up_the_build_before(serve: Serve, scratch: Path) -> None:
    with Visit(serve(isolation=WEAK, bounds=Bounds(builds=1))) as visitor:
        for _ in range(3):
            assert not visitor.post("/build/start", recorded="1")["fault"]
        assert _folders(scratch) == 1


def test_nothing_is_left_of_a_build_whose_visitor_has_left(serve: Serve, scratch: Path) -> None:
    before = workers()
    url = serve(isolation=WEAK, bounds=Bounds(builds=3, away_seconds=0.1))
    with ExitStack() as stack:
        visits = [stack.enter_context(Visit(url)) for _ in range(2)]
        for visitor in visits:
            visitor.post("/build/start", recorded="1")
        # The second one runs programs by then, which are processes below its own.
        told = "kind-tests"
        assert eventually(lambda: told in visits[1].get("/build"), START * 4)
        assert workers() > before + 2
        assert _folders(scratch) == 2
        for visitor in visits:
            visitor.leave()
        assert eventually(lambda: workers() <= before)
        assert eventually(lambda: _folders(scratch) == 0)


def test_a_build_that_takes_too_long_is_ended(serve: Serve, scratch: Path) -> None:
    before = workers()
    with Visit(serve(isolation=WEAK, bounds=Bounds(build_seconds=0.5))) as visitor:
        visitor.post("/build/start", recorded="1")
        assert eventually(lambda: "It failed: it took longer" in visitor.get("/build"))
        assert eventually(lambda: workers() <= before)
        assert visitor.client.get("/build/pack.zip").status_code == 404


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        ({"idea": "Lend me a book.", "model": "openai/gpt-4.1"}, "There is no such model here."),
        ({"idea": "Lend me a book."}, "There is no such model here."),
        ({"idea": " \n ", "model": "mockllm/model"}, "Write a request first"),
        ({"idea": "word " * 100, "model": "mockllm/model"}, "has 499 characters; 400 will do"),
    ],
)
def test_only_a_short_idea_and_a_model_of_the_command_line_are_taken(
    serve: Serve, choice: dict[str, str], fault: str
) -> None:
    with Visit(serve(models=["mockllm/model"])) as visitor:
        assert fault in visitor.post("/build/start", **choice)["fault"]


def test_a_pack_is_given_to_nobody_but_its_visitor(serve: Serve) -> None:
    with Visit(serve()) as stranger:
        assert stranger.client.get("/build/pack.zip").status_code == 404
        assert 'class="told' not in stranger.get("/build")
