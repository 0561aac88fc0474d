"""What no page would send, and what people do to pages that is not foreseen."""

import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import read_pack
from tests.pack_files import SOURCE, a_scenario, write_pack
from tests.playground.conftest import Serve
from tests.playground.visits import Visit

# Parameters with the names that a form's own buttons would have, and a tool that never ends.
MORE_TOOLS = '''
    def note(self, raw: str, add: str, remove: str, json: list[str]) -> dict:
        """Keep a note.

        Args:
            raw: A word.
            add: Another.
            remove: Another.
            json: Some words.
        """
        self.orders[raw] = {"add": add, "remove": remove, "json": json}
        return {"success": True}

    def keep(self, deep: list) -> dict:
        """Keep anything.

        Args:
            deep: It.
        """
        self.orders["kept"] = {"deep": deep}
        return {"success": True, "deep": deep}

    def hang(self) -> dict:
        """Never end."""
        while True:
            pass

    def list_items(self)'''
WEAK = IsolationPolicy("isolated", allow_weak=True)


@pytest.fixture
def pack(tmp_path: Path) -> Any:
    """A stock room with odd tools."""
    source = SOURCE.replace("\n    def list_items(self)", MORE_TOOLS)
    return read_pack(write_pack(tmp_path, source=source))


def _raw(visitor: Visit, tool: str, text: str) -> httpx.Response:
    parts = {"#json": (None, text), "#raw": (None, "1")}
    return visitor.client.post(f"/play/call/{tool}", files=parts)


def test_half_a_character_is_shown_and_does_not_shut_the_page(serve: Serve, pack: Any) -> None:
    with Visit(serve(packs=[pack])) as visitor:
        visitor.play("stock_room", "restock")
        answer = _raw(visitor, "take_item", '{"item_id": "\\ud800", "quantity": 1}')
        assert answer.json()["fault"] == ""
        assert visitor.client.get("/play").status_code == 200
        assert "half a character" in visitor.get("/play/solution.yaml")
        assert visitor.steps() == ["take_item"]


@pytest.mark.parametrize("depth", [50, 150, 300, 600, 900])
def test_deep_arguments_are_called_or_refused_and_the_page_stays(
    serve: Serve, pack: Any, depth: int
) -> None:
    with Visit(serve(packs=[pack])) as visitor:
        visitor.play("stock_room", "restock")
        answer = _raw(visitor, "keep", f'{{"deep": {"[" * depth}{"]" * depth}}}')
        assert answer.status_code == 200
        assert visitor.client.get("/play").status_code == 200
        assert not visitor.post("/play/call/list_items")["fault"]


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_too_much_is_told_as_such(serve: Serve, pack: Any, size: int) -> None:
    with Visit(serve(packs=[pack])) as visitor:
        visitor.play("stock_room", "restock")
        told = _raw(visitor, "take_item", json.dumps({"item_id": "x" * size, "quantity": 1}))
        assert told.json()["fault"].startswith("That is too much to send")
        unnamed = visitor.client.post("/play/call/take_item", data={"item_id": "x" * size})
        assert unnamed.json()["fault"].startswith("That is too much to send")
        assert visitor.steps() == []


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("/play/form/note", {"#add": "json", "json#": "9" * 5000}),
        ("/play/form/note", {"#add": "json", "json/" + "9" * 500: "a"}),
        ("/play/form/note", {"#remove": "json/" + "9" * 5000, "json#": "1"}),
        ("/play/form/note", {"#remove": "json/٣", "json#": "5"}),
        ("/play/call/note", {"json#": "9" * 5000}),
        ("/watch/log/open", {"log": "a.eval", "sample": "a", "epoch": "9" * 5000}),
        ("/watch/log/samples", {"log": "a\0b" + "c" * 5000}),
    ],
)
def test_numbers_and_names_beyond_reason_break_nothing(
    serve: Serve, pack: Any, tmp_path: Path, path: str, texts: dict[str, str]
) -> None:
    with Visit(serve(packs=[pack], logs=tmp_path)) as visitor:
        visitor.play("stock_room", "restock")
        parts = {key: (None, text) for key, text in texts.items()}
        assert visitor.client.post(path, files=parts).status_code == 200


@pytest.mark.parametrize("tab", ["watch", "build"])
@pytest.mark.parametrize("after", ["9" * 5000, "-1", "٣", ""])
def test_a_stream_starts_wherever_it_is_told_to(serve: Serve, tab: str, after: str) -> None:
    with Visit(serve()) as visitor:
        answer = visitor.client.get(f"/{tab}/stream", params={"after": after})
        assert answer.status_code == 200
        assert "event: end" in answer.text


def test_a_parameter_may_be_called_as_a_button_of_the_form(serve: Serve, pack: Any) -> None:
    with Visit(serve(packs=[pack])) as visitor:
        visitor.play("stock_room", "restock")
        fields = {"raw": "a", "add": "b", "remove": "c", "json#": "1", "json/0": "d"}
        assert visitor.post("/play/call/note", **fields)["fault"] == ""
        grown = visitor.post("/play/form/note", **fields, **{"#add": "json"})
        assert 'name="json/1"' in grown["parts"]["form--note"]
        assert "<dt>remove</dt><dd>&#34;c&#34;</dd>" in visitor.get("/play")


def test_a_call_that_stops_the_environment_is_shown_and_taken_back(serve: Serve, pack: Any) -> None:
    with Visit(serve(packs=[pack], isolation=WEAK)) as visitor:
        visitor.play("stock_room", "restock")
        visitor.post("/play/call/list_items")
        reply = visitor.post("/play/call/hang")
        assert "The system has stopped" in reply["parts"]["trace"]
        assert visitor.steps() == ["hang", "list_items"]
        assert "has stopped" in visitor.post("/play/grade")["fault"]
        assert visitor.client.get("/play/solution.yaml").status_code == 409
        visitor.post("/play/undo")
        assert visitor.steps() == ["list_items"]
        assert visitor.post("/play/grade")["fault"] == ""


def test_a_page_of_what_was_left_in_another_tab_acts_on_nothing(serve: Serve, pack: Any) -> None:
    scenarios = [a_scenario(), a_scenario(id="again")]
    other = read_pack(write_pack(pack.folder.parent, "second_room", scenarios=scenarios))
    with Visit(serve(packs=[other])) as visitor:
        room = _room(visitor.play("second_room", "restock")["parts"]["stage"])
        visitor.client.headers["x-room"] = room
        assert visitor.post("/play/call/list_items")["fault"] == ""
        del visitor.client.headers["x-room"]
        newer = _room(visitor.play("second_room", "again")["parts"]["stage"])
        visitor.client.headers["x-room"] = room
        for path in ("/play/call/list_items", "/play/undo", "/play/leave", "/play/grade"):
            assert visitor.post(path)["fault"].startswith("This page shows what you have left")
        visitor.client.headers["x-room"] = newer
        assert visitor.steps() == []
        assert visitor.post("/play/call/list_items")["fault"] == ""


@pytest.mark.parametrize("tab", ["watch", "build"])
def test_a_broken_stream_is_not_taken_up_with_another_room(serve: Serve, tab: str) -> None:
    with Visit(serve(isolation=WEAK)) as visitor:
        start = {"env": "blood_bank", "recorded": "1"}
        if tab == "watch":
            page = visitor.get("/watch?")
            name = page.split('name="scenario" value="')[1].split('"')[0]
            env = page.split('name="env" value="')[1].split('"')[0]
            start = {"env": env, "scenario": name}
        former = _room(visitor.post(f"/{tab}/start", **start)["parts"]["stage"])
        visitor.post(f"/{tab}/start", **start)
        told = visitor.client.get(f"/{tab}/stream", params={"room": former, "after": "0"}).text
        assert "This page shows what you have left" in told
        assert '"more": {}' in told
        visitor.post(f"/{tab}/leave")


def test_a_stream_tells_a_visitor_whose_visit_is_over(serve: Serve) -> None:
    told = httpx.get(serve() + "/watch/stream", params={"room": "a"}, timeout=60).text
    assert "Your visit has ended" in told


def _room(page: str) -> str:
    return page.split('data-room="')[1].split('"')[0]


def test_one_who_sends_slowly_keeps_nobody_waiting(serve: Serve, pack: Any) -> None:
    url = serve(packs=[pack])
    with Visit(url) as visitor:
        visitor.play("stock_room", "restock")
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
        place = urlsplit(url)
        with closing(socket.create_connection((place.hostname, place.port))) as slow:
            slow.sendall(
                f"POST /play/call/list_items HTTP/1.1\r\nHost: {place.netloc}\r\n"
                f"Cookie: {cookies}\r\nX-Playground: page\r\nContent-Length: 100\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\n\r\na=".encode()
            )
            visitor.client.timeout = httpx.Timeout(20)
            for _ in range(3):
                assert visitor.post("/play/call/list_items")["fault"] == ""


def test_two_playgrounds_on_a_machine_know_their_visitors_apart(serve: Serve, pack: Any) -> None:
    first, second = serve(packs=[pack]), serve(packs=[pack])
    with Visit(first) as visitor:
        visitor.play("stock_room", "restock")
        visitor.client.base_url = second
        visitor.play("stock_room", "restock")
        visitor.client.base_url = first
        assert visitor.post("/play/call/list_items")["fault"] == ""


def test_what_fails_within_is_told_to_the_page(
    serve: Serve, pack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from envscaler_eval.playground.played_episode import PlayedEpisode

    def fail(self: PlayedEpisode) -> None:
        raise RuntimeError("nobody foresaw this")

    with Visit(serve(packs=[pack])) as visitor:
        visitor.play("stock_room", "restock")
        monkeypatch.setattr(PlayedEpisode, "undo", fail)
        assert visitor.post("/play/undo")["fault"].startswith("This failed")
        assert visitor.post("/play/call/list_items")["fault"] == ""
