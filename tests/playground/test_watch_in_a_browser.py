"""Watching a model in a real browser, and stepping in."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from envscaler_eval.pack import Pack, read_pack
from envscaler_eval.playground.form_fields import form_of
from envscaler_eval.scenario import ToolCall
from tests.chromium import needs_chromium
from tests.inspect_runs import run
from tests.pack_files import write_pack
from tests.playground.conftest import PHONE, OpenPage, Serve
from tests.playground.typing_calls import fill_in

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_chromium

# A process of its own has to read its libraries first.
START = 240_000


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """A stock room."""
    return read_pack(write_pack(tmp_path))


def _watch(page: "Page", **choice: str) -> None:
    for label, value in {"Pace": "0", **choice}.items():
        page.get_by_label(label).select_option(value)
    page.get_by_role("button", name="Watch Stock room").click()


def _ending(page: "Page") -> str:
    page.locator("#status").get_by_text("Ended:").wait_for(timeout=START)
    return page.locator("#status").inner_text()


def _act(page: "Page", pack: Pack, call: ToolCall) -> None:
    """Make a call as the agent; returns when it was sent."""
    tool = next(tool for tool in pack.environment.tools if tool.name == call.name)
    fill_in(page, call, form_of(tool.parameters))
    page.get_by_role("form", name=call.name).get_by_role("button", name="Call", exact=True).click()


def test_a_policy_is_watched_to_its_end(serve: Serve, browse: OpenPage, pack: Pack) -> None:
    page = browse(serve(packs=[pack]) + "/watch")
    _watch(page)
    assert "Reward 1" in _ending(page)
    assert page.locator(".item.agent .name").all_inner_texts() == [
        call.name for call in pack.scenarios[0].solution
    ]
    place = page.locator(".differences .place").first.inner_text()
    assert re.findall(r"[\w-]+", place) == ["items", "I-1", "quantity"]
    with page.expect_download() as loading:
        page.get_by_role("link", name="The log").click()
    assert loading.value.path().stat().st_size > 1000
    page.reload()
    assert "Reward 1" in _ending(page)


def test_a_person_takes_the_agents_place_and_gives_it_back(
    serve: Serve, browse: OpenPage, pack: Pack
) -> None:
    page = browse(serve(packs=[pack]) + "/watch")
    _watch(page, Agent="policy/noop")
    # Taken before its first turn: doing nothing earns nothing, and so what is earned is ours.
    page.get_by_role("button", name="Take over as the agent").click()
    for call in pack.scenarios[0].solution:
        page.get_by_text("Your turn, as the agent.").wait_for(timeout=START)
        done = page.locator(".item.observation").count()
        _act(page, pack, call)
        page.locator(".item.observation").nth(done).wait_for()
    page.get_by_role("button", name="Give the agent back").click()
    assert "Reward 1" in _ending(page)
    assert "a person" in page.locator(".item.agent").first.inner_text()


def test_a_person_talks_as_the_user_and_pauses_the_agent(
    serve: Serve, browse: OpenPage, pack: Pack
) -> None:
    page = browse(serve(packs=[pack]) + "/watch", PHONE, 800)
    _watch(page, User="you")
    said = ["Three bolts, please.", "Nothing else. Oh, and nuts, it is urgent.", "Thanks."]
    for text in said[:2]:
        box = page.get_by_label("What you say")
        box.wait_for(timeout=START)
        box.fill(text)
        page.get_by_role("button", name="Say it").click()
        page.locator(".item.user", has_text=text).wait_for()
    page.get_by_label("What you say").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    page.get_by_role("button", name="I am satisfied").click()
    assert "Ended: user stop." in _ending(page)
    assert "Reward 1" in _ending(page)


def test_a_paused_agent_goes_step_by_step(serve: Serve, browse: OpenPage, pack: Pack) -> None:
    page = browse(serve(packs=[pack]) + "/watch")
    _watch(page, Pace="3")
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused before the agent's turn.").wait_for(timeout=START)
    shown = page.locator(".item.agent").count()
    for number in range(1, 3):
        page.get_by_role("button", name="Next step").click()
        page.locator(".item.agent").nth(shown + number - 1).wait_for()
        page.get_by_text("Paused before the agent's turn.").wait_for()
        assert page.locator(".item.agent").count() == shown + number
    page.get_by_role("button", name="Go on").click()
    assert "Reward 1" in _ending(page)


def test_a_log_is_replayed_with_its_states(
    serve: Serve, browse: OpenPage, pack: Pack, tmp_path: Path
) -> None:
    # In a thread, since the browser's event loop runs in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(run, pack.folder, "policy/oracle", tmp_path / "logs").result()
    page = browse(serve(packs=[pack], logs=tmp_path / "logs") + "/watch")
    page.get_by_role("button", name="List its samples").click()
    page.get_by_role("button", name="Replay stock_room/restock").click()
    page.locator("#replay-controls").get_by_text("step 0 of 4").wait_for(timeout=START)
    assert page.locator(".item.agent").count() == 0
    for place in range(1, 3):
        page.get_by_role("button", name="Next step").click()
        page.locator("#replay-controls").get_by_text(f"step {place} of 4").wait_for()
    assert page.locator("#state .changed > .key", has_text="quantity").count() == 1
    page.get_by_role("button", name="End").click()
    page.locator("#replay-controls").get_by_text("step 4 of 4").wait_for()
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Back").click()
    page.locator("#replay-controls").get_by_text("step 2 of 4").wait_for()
    assert page.locator("#state .changed > .key", has_text="quantity").count() == 1
    assert page.get_by_text("Reward 1").count() == 1
    assert page.get_by_text("answers otherwise").count() == 0
