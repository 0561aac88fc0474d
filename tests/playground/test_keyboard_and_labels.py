"""The page for those who use no mouse, or do not see it."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from envscaler_eval.pack import locate, read_pack
from tests.chromium import needs_chromium
from tests.pack_files import write_pack
from tests.playground.conftest import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_chromium

# What has no name that a screen reader could say, and ids that stand for two things.
NAMELESS = """() => {
  const named = (one) => one.getAttribute("aria-label") || one.getAttribute("aria-labelledby")
    || one.title || one.alt || one.textContent.trim()
    || [...(one.labels || [])].some((label) => label.textContent.trim());
  const kinds = "button, a, input, select, textarea, summary, [role=group]";
  const controls = [...document.querySelectorAll(kinds)];
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return [
    ...controls.filter((one) => one.type !== "hidden" && !named(one)).map((one) => one.outerHTML),
    ...ids.filter((id, place) => ids.indexOf(id) !== place),
    ...[...document.querySelectorAll("img:not([alt])")].map((one) => one.outerHTML),
  ];
}"""


def _press(page: "Page", name: str) -> None:
    """Go to a control with the tabulator, as one without a mouse does, and press enter."""
    for _ in range(80):
        page.keyboard.press("Tab")
        active = page.evaluate(
            "() => document.activeElement.getAttribute('aria-label')"
            " || document.activeElement.textContent.trim()"
        )
        if active.startswith(name):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"the tabulator never comes to '{name}'")


def test_a_call_is_made_and_graded_with_the_keyboard_alone(
    serve: Serve, browse: OpenPage, tmp_path: Path
) -> None:
    page = browse(serve(packs=[read_pack(write_pack(tmp_path))]))
    _press(page, "Play Stock room")
    page.get_by_role("heading", name="The request").wait_for()
    _press(page, "take_item")
    page.keyboard.press("Tab")
    page.keyboard.type("I-1")
    page.keyboard.press("Tab")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.locator(".step").wait_for()
    # The form stays where one was, to go on from there.
    assert page.evaluate("document.activeElement.name") == "quantity"
    assert "take_item: done, 1 changes" in page.locator("#say").inner_text()
    page.get_by_role("button", name="Grade now").focus()
    page.keyboard.press("Enter")
    page.get_by_text("1 of 2 goals reached").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Grade now"


@pytest.mark.parametrize("path", ["/play", "/watch"])
def test_all_that_can_be_used_has_a_name(serve: Serve, browse: OpenPage, path: str) -> None:
    pack = read_pack(locate("journal_ledger"))
    page = browse(serve(packs=[pack]) + path)
    assert page.evaluate(NAMELESS) == []
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.get_by_role("main").count() == 1
    assert page.locator("h1").count() == 1
    if path == "/play":
        page.get_by_role("button", name=f"Play {pack.info.title}").first.click()
        page.get_by_role("button", name="Replay the reference").click()
        page.locator(".step").wait_for()
        assert page.evaluate(NAMELESS) == []


def test_a_nameless_control_would_be_found(serve: Serve, browse: OpenPage) -> None:
    page = browse(serve(packs=[read_pack(locate("journal_ledger"))]))
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert page.evaluate(NAMELESS) == ["<button></button>"]
