"""What is too much for a page is cut, and said to be."""

from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.pack import read_pack
from envscaler_eval.playground.brevity import as_json, brief
from envscaler_eval.playground.differences import Difference
from envscaler_eval.playground.tree import Node, tree
from envscaler_eval.playground.words import observed
from tests.pack_files import STATE, a_scenario, write_pack
from tests.playground.conftest import Serve
from tests.playground.visits import Visit


def _deep(depth: int) -> Any:
    value: Any = "bottom"
    for _ in range(depth):
        value = [value]
    return value


def test_a_long_text_is_its_beginning_and_its_length() -> None:
    assert brief("short") == "short"
    told = brief("x" * 123_456)
    assert told.startswith("x" * 1000)
    assert len(told) < 6000
    assert "123,456 characters" in told


def test_of_a_large_collection_the_first_are_shown_and_what_was_changed() -> None:
    state = {"items": {f"I-{number}": number for number in range(5000)}}
    changed = Difference("changed", ("items", "I-4321"), 1, 2)
    (items,) = tree(state, [changed])
    keys = [node.key for node in items.children]
    assert keys[:2] == ["I-0", "I-1"]
    assert keys[-2:] == ["I-4321", "…"]
    assert items.children[-1].leaf == f"{5000 - len(keys) + 1:,} more, not shown"
    assert len(keys) < 300


def test_a_small_collection_is_shown_whole() -> None:
    (items,) = tree({"items": list(range(100))})
    assert [node.leaf for node in items.children] == [str(number) for number in range(100)]


@pytest.mark.parametrize("depth", [10, 200, 3000])
def test_what_is_deep_ends_somewhere(depth: int) -> None:
    (node,) = tree({"deep": _deep(depth)})
    seen = 0
    while node.children:
        (node,) = node.children
        seen += 1
    assert isinstance(node, Node)
    assert node.leaf == ('"bottom"' if depth == 10 else "…")
    assert seen <= 50
    assert as_json(_deep(depth)).startswith(("[", "…"))
    assert observed("[" * depth + "]" * depth) is None or depth < 3000


def test_a_page_of_a_large_state_stays_one_that_a_browser_can_show(
    serve: Serve, tmp_path: Path
) -> None:
    items = {f"I-{n}": {"name": f"bolt {n}", "quantity": 10} for n in range(20_000)}
    pack = read_pack(write_pack(tmp_path, states={"monday": {**STATE, "items": items}}))
    with Visit(serve(packs=[pack])) as visitor:
        visitor.play("stock_room", "restock")
        reply = visitor.post("/play/call/list_items")
        assert "19,800 more, not shown" in reply["parts"]["trace"]
        assert "19,800 more, not shown" in reply["parts"]["state"]
        visitor.post("/play/call/take_item", item_id="I-19999", quantity="3")
        page = visitor.get("/play")
        assert "I-19999" in page
        assert len(page) < 1_000_000


def test_of_very_many_changes_the_first_are_shown_and_the_rest_counted(
    serve: Serve, tmp_path: Path
) -> None:
    source = '''
class StockRoom:
    """Keeps items."""

    def __init__(self, init_config: dict) -> None:
        self.items: dict[str, dict] = {}

    def count_all(self) -> dict:
        """Count all."""
        for item in self.items.values():
            item["quantity"] += 1
        return {"success": True}
'''
    items = {f"I-{n}": {"quantity": 10} for n in range(5000)}
    folder = write_pack(
        tmp_path,
        source=source,
        states={"monday": {**STATE, "items": items}},
        scenarios=[a_scenario(solution=[{"name": "count_all", "arguments": {}}])],
    )
    with Visit(serve(packs=[read_pack(folder)])) as visitor:
        visitor.play("stock_room", "restock")
        reply = visitor.post("/play/call/count_all")
        assert reply["say"] == "count_all: done, 5000 changes"
        assert "4,900 more changes are not shown" in reply["parts"]["trace"]
        assert len(str(reply)) < 1_000_000
