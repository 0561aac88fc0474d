"""Many visitors at once: none sees another's, and nothing is left of those who have gone."""

import gc
import re
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.playground import Bounds
from tests.pack_files import write_pack
from tests.playground.conftest import IN_PROCESS, Serve
from tests.playground.processes import eventually, workers
from tests.playground.visits import Visit

VISITORS = 50


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """A stock room."""
    return read_pack(write_pack(tmp_path))


def test_fifty_play_at_once_and_none_sees_the_state_of_another(serve: Serve, pack: Pack) -> None:
    url = serve(packs=[pack], isolation=IsolationPolicy("isolated", allow_weak=True))

    def visit(number: int) -> tuple[int, int, str]:
        with Visit(url) as visitor:
            visitor.play("stock_room", "restock")
            # Each orders so many times, with its own mark where arguments are kept.
            orders = number % 4
            for _ in range(orders):
                visitor.post("/play/call/order_item", item_id="I-1", priority='"high"')
            mine = f"nobody-else-{number}"
            visitor.post("/play/call/take_item", item_id=mine, quantity="1")
            page = visitor.get("/play")
            assert len(re.findall(r'<span class="key">O-\d+</span>', page)) >= orders
            others = set(re.findall(r"nobody-else-\d+", page)) - {mine}
            assert others == set()
            assert mine in page
            token = next(iter(visitor.client.cookies.values()))
            return orders, visitor.steps().count("order_item"), token

    with ThreadPoolExecutor(10) as threads:
        seen = list(threads.map(visit, range(VISITORS)))
    assert all(wanted == shown for wanted, shown, _ in seen)
    assert len({token for *_, token in seen}) == VISITORS


def test_one_more_than_there_are_places_is_told_so(serve: Serve, pack: Pack) -> None:
    url = serve(packs=[pack], bounds=Bounds(visitors=2))
    with ExitStack() as stack:
        first, second, third = (stack.enter_context(Visit(url)) for _ in range(3))
        for visitor in (first, second):
            assert not visitor.play("stock_room", "restock")["fault"]
        assert "All places are taken" in third.play("stock_room", "restock")["fault"]
        assert not first.post("/play/undo")["fault"]


def test_a_visit_that_is_over_says_so_and_can_begin_again(serve: Serve, pack: Pack) -> None:
    # Not by idleness, which asking would end.
    url = serve(packs=[pack], bounds=Bounds(lifetime_seconds=0.2))
    with Visit(url) as visitor:
        visitor.play("stock_room", "restock")
        assert eventually(lambda: "has ended" in visitor.post("/play/call/list_items")["fault"])
        assert "The request" in visitor.play("stock_room", "restock")["parts"]["stage"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no /proc to count processes in")
def test_processes_and_memory_return_after_all_have_left(serve: Serve, pack: Pack) -> None:
    isolated = IsolationPolicy("isolated", allow_weak=True)
    url = serve(packs=[pack], isolation=isolated, bounds=Bounds(visitors=60, away_seconds=0.1))

    def come_and_go(number: int) -> int:
        with ExitStack() as stack:
            visits = [stack.enter_context(Visit(url)) for _ in range(number)]
            for visitor in visits:
                visitor.play("stock_room", "restock")
                visitor.post("/play/call/order_item", item_id="I-2", priority='"low"')
            held = workers()
            for visitor in visits:
                visitor.leave()
            return held

    with Visit(url) as warm:
        warm.play("stock_room", "restock")
        warm.leave()
    before = workers()
    tracemalloc.start()
    try:
        come_and_go(10)
        assert eventually(lambda: workers() <= before)
        gc.collect()
        first, _ = tracemalloc.get_traced_memory()
        assert come_and_go(VISITORS) >= VISITORS
        assert eventually(lambda: workers() <= before)
        gc.collect()
        second, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Fifty leave no more behind than ten: less than what one episode takes.
    assert second - first < 200_000


def test_an_episode_takes_so_many_calls_and_no_more(serve: Serve, pack: Pack) -> None:
    with Visit(serve(packs=[pack], isolation=IN_PROCESS, bounds=Bounds(calls=2))) as visitor:
        visitor.play("stock_room", "restock")
        faults = [visitor.post("/play/call/list_items")["fault"] for _ in range(3)]
        assert faults[:2] == ["", ""]
        assert "at most 2 calls" in faults[2]
