"""What strangers cannot do with the page."""

from pathlib import Path

import httpx
import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import read_pack
from tests.pack_files import write_pack
from tests.playground.conftest import Serve
from tests.playground.visits import Visit


@pytest.fixture
def url(serve: Serve, tmp_path: Path) -> str:
    """A playground with a stock room and some logs beside what is secret."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "secret.eval").write_text("secret", encoding="utf-8")
    (tmp_path / "logs" / "link.eval").symlink_to(tmp_path / "secret.eval")
    (tmp_path / "logs" / "broken.eval").write_text("no log", encoding="utf-8")
    packs = [read_pack(write_pack(tmp_path))]
    return serve(packs=packs, logs=tmp_path / "logs", models=["mockllm/model"])


def test_forms_of_other_sites_are_not_taken(url: str) -> None:
    data = {"env": "stock_room", "scenario": "restock"}
    answer = httpx.post(f"{url}/play/start", data=data, timeout=60)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_another_name_for_this_machine_gets_no_answer(url: str) -> None:
    answer = httpx.get(f"{url}/play", headers={"host": "evil.example"}, timeout=60)
    assert answer.status_code == 400
    assert httpx.get(f"{url}/play", timeout=60).status_code == 200


def test_pages_may_load_and_send_to_nothing_but_this_server(url: str) -> None:
    for path in ("/play", "/watch", "/static/app.js", "/nothing"):
        policy = httpx.get(url + path, timeout=60).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(url: str) -> None:
    with Visit(url) as visitor:
        answer = visitor.client.post(
            "/play/start", files={"env": (None, "stock_room"), "scenario": (None, "restock")}
        )
        cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_what_is_typed_and_observed_is_text_and_never_markup(url: str) -> None:
    with Visit(url) as visitor:
        visitor.play("stock_room", "restock")
        reply = visitor.post(
            "/play/call/take_item", item_id='<img src=x onerror="alert(1)">', quantity="1"
        )
        assert "<img src=x" not in str(reply)
        assert "&lt;img src=x" in reply["parts"]["trace"]


@pytest.mark.parametrize("log", ["../secret.eval", "/etc/passwd", "link.eval", "none.eval", ""])
def test_only_logs_of_the_folder_are_opened(url: str, log: str) -> None:
    with Visit(url) as visitor:
        assert visitor.post("/watch/log/samples", log=log)["fault"] == "There is no such log here."
        fault = visitor.post("/watch/log/open", log=log, sample="a", epoch="1")["fault"]
        assert fault == "There is no such log here."


def test_a_file_that_is_no_log_is_told_in_one_line(url: str) -> None:
    with Visit(url) as visitor:
        fault = visitor.post("/watch/log/samples", log="broken.eval")["fault"]
        assert fault.startswith("broken.eval: cannot be read as a log")


@pytest.mark.parametrize(
    "choice",
    [
        {"agent": "openai/gpt-4.1"},
        {"agent": "mockllm/other"},
        {"agent": "policy/oracle", "mode": "conv", "user": "openai/gpt-4.1"},
        {"mode": "free"},
        {"pace": "1e9"},
    ],
)
def test_only_models_that_were_named_at_the_start_can_be_chosen(
    url: str, choice: dict[str, str]
) -> None:
    with Visit(url) as visitor:
        reply = visitor.post("/watch/start", env="stock_room", scenario="restock", **choice)
        assert reply["fault"] == "There is no such model, mode or pace here."


def test_environments_run_in_workers_of_their_own_unless_told_otherwise(
    serve: Serve, tmp_path: Path
) -> None:
    """A tool that looks for its process finds another one than the server's."""
    from envscaler_eval.playground import PlaygroundSettings

    settings = PlaygroundSettings(packs=[read_pack(write_pack(tmp_path))])
    assert settings.isolation.isolates(settings.packs[0])
    weak = IsolationPolicy("isolated", allow_weak=True)
    assert weak.runtime(settings.packs[0]).isolation.startswith("isolated")


@pytest.mark.parametrize(
    "path",
    ["/play/undo", "/play/call/list_items", "/play/grade", "/watch/order", "/watch/log/go"],
)
def test_nothing_is_done_for_one_who_holds_nothing(url: str, path: str) -> None:
    with Visit(url) as visitor:
        assert "has ended" in visitor.post(path)["fault"]
        visitor.post("/play/leave")
        assert visitor.post(path)["fault"]


def test_only_declared_tools_are_called(url: str) -> None:
    with Visit(url) as visitor:
        visitor.play("stock_room", "restock")
        for name in ("_secret", "__init__", "nothing"):
            assert visitor.post(f"/play/call/{name}")["fault"] == "There is no such tool here."
