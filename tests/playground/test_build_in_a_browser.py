"""Building an environment in a real browser, up to the pack."""

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from envscaler_eval.cli.app import app
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import read_pack
from envscaler_eval.synth.small_build import recorded_session, recorded_tasks
from tests.chromium import needs_chromium
from tests.playground.conftest import PHONE, OpenPage, Serve
from tests.playground.test_keyboard_and_labels import NAMELESS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_chromium

# A process of its own has to read its libraries first; and the audit takes its time.
START, WHOLE = 90_000, 900_000
WEAK = IsolationPolicy("isolated", allow_weak=True)


def _told(page: "Page", title: str) -> None:
    page.locator(".told", has_text=title).first.wait_for(timeout=WHOLE)


def test_the_recording_is_built_before_ones_eyes_up_to_a_valid_pack(
    serve: Serve, browse: OpenPage, tmp_path: Path
) -> None:
    page = browse(serve(isolation=WEAK) + "/build")
    page.get_by_role("button", name="Build from the recording").click()
    _told(page, "To be built: Allotment garden office")
    page.get_by_role("listitem").filter(has_text="Inspection, working").wait_for(timeout=WHOLE)
    assert page.get_by_role("link", name="Download the pack").count() == 0
    page.locator(".kind-repair").wait_for(timeout=WHOLE)
    assert page.locator(".kind-repair ins").count() > 0
    _told(page, "Rejected: all who waited since 2024")
    # What was shown stays when the page is loaded anew, and the rest is added to it.
    page.reload()
    _told(page, "Proven")
    page.locator(".verdict", has_text="The audit passes").wait_for(timeout=WHOLE)
    assert page.locator(".told", has_text="To be built").count() == 1
    assert page.locator(".tried .proven").count() == 4
    assert "Done: Allotment garden office, 8 tools, 4 scenarios." in (
        page.locator("#status").inner_text()
    )
    assert page.evaluate(NAMELESS) == []
    page.set_viewport_size({"width": PHONE, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    with page.expect_download() as loading:
        page.get_by_role("link", name="Download the pack").click()
    assert loading.value.suggested_filename == "allotment_garden_office.zip"
    with zipfile.ZipFile(loading.value.path()) as file:
        file.extractall(tmp_path)
    folder = tmp_path / "allotment_garden_office"
    assert CliRunner().invoke(app, ["validate", str(folder)]).exit_code == 0
    assert read_pack(folder).environment.source == page.locator(".made .code").text_content()


def test_ones_own_idea_goes_to_the_model_on_a_narrow_page_and_is_cancelled(
    serve: Serve, browse: OpenPage
) -> None:
    with recorded_session() as session:
        # A model that has answers to one idea: that with which it was recorded.
        model, idea = f"session/{session}", recorded_tasks(session)[0].text
        page = browse(serve(isolation=WEAK, models=[model]) + "/build", PHONE, 844)
        assert page.evaluate(NAMELESS) == []
        page.get_by_label("The request").fill(idea)
        page.get_by_role("button", name="Build it").click()
        _told(page, "To be built: Allotment garden office")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("heading", name="Build an environment from one line").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


@pytest.mark.parametrize("models", [[], ["openai/gpt-4.1"]])
def test_an_idea_takes_a_model_and_the_page_says_how(
    serve: Serve, browse: OpenPage, models: list[str]
) -> None:
    page = browse(serve(models=models) + "/build")
    assert page.get_by_label("The request").count() == len(models)
    assert page.get_by_text("envscaler play --model").count() == 1 - len(models)
    assert page.evaluate(NAMELESS) == []
