"""Playing by hand, in a real browser."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from envscaler_eval.pack import Pack, locate, read_pack
from envscaler_eval.playground.form_fields import form_of
from envscaler_eval.scenario import Scenario
from tests.chromium import needs_chromium
from tests.pack_files import a_scenario, write_pack
from tests.playground.conftest import PHONE, OpenPage, Serve
from tests.playground.typing_calls import call_by_hand, fill_in

pytestmark = needs_chromium


def _start(page: Page, pack: Pack, scenario: Scenario) -> None:
    page.get_by_role("searchbox", name="Search").fill(f"{pack.info.title} {scenario.id}")
    name = f"Play {pack.info.title}, {scenario.id.replace('_', ' ')}"
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("heading", name="The request")).to_be_visible()


def _with_lists() -> tuple[Pack, Scenario]:
    """Return a scenario whose shortest way needs lists of objects."""
    pack = read_pack(locate("journal_ledger"))
    nested = [
        scenario
        for scenario in pack.scenarios
        if any(isinstance(v, dict | list) for c in scenario.solution for v in c.arguments.values())
    ]
    return pack, min(nested, key=lambda one: len(one.solution))


def test_a_scenario_is_played_to_its_full_reward_by_hand(serve: Serve, browse: OpenPage) -> None:
    pack, scenario = _with_lists()
    page = browse(serve(packs=[pack]))
    _start(page, pack, scenario)
    for call in scenario.solution:
        tool = next(tool for tool in pack.environment.tools if tool.name == call.name)
        call_by_hand(page, call, form_of(tool.parameters))
    page.get_by_role("button", name="Grade now").click()
    expect(page.get_by_text("Reward 1", exact=True)).to_be_visible()


def test_a_phone_needs_no_scrolling_to_the_side(serve: Serve, browse: OpenPage) -> None:
    pack, scenario = _with_lists()
    page = browse(serve(packs=[pack]), PHONE, 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    _start(page, pack, scenario)
    page.get_by_role("button", name="Replay the reference").click()
    expect(page.locator(".step")).to_have_count(1)
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


def test_enter_in_an_entry_calls_the_tool_and_removes_nothing(
    serve: Serve, browse: OpenPage
) -> None:
    pack, scenario = _with_lists()
    call = next(
        one
        for one in scenario.solution
        if any(isinstance(value, dict | list) for value in one.arguments.values())
    )
    page = browse(serve(packs=[pack]))
    _start(page, pack, scenario)
    tool = next(tool for tool in pack.environment.tools if tool.name == call.name)
    fill_in(page, call, form_of(tool.parameters))
    entries = page.locator(f"#form--{call.name} .entry").count()
    page.locator(f"#form--{call.name} .entry input").first.press("Enter")
    expect(page.locator(".step")).to_have_count(1)
    expect(page.locator(f"#form--{call.name} .entry")).to_have_count(entries)


def _json_of_take_item(serve: Serve, browse: OpenPage, tmp_path: Path) -> tuple[Page, Locator]:
    """Open the form of a tool where arguments are written as JSON."""
    page = browse(serve(packs=[read_pack(write_pack(tmp_path))]))
    page.get_by_role("button", name="Play Stock room").click()
    page.locator("#tools summary", has_text="take_item").click()
    page.locator("#tools .raw summary").locator("visible=true").click()
    form = page.get_by_role("form", name="take_item")
    return page, form


def test_what_was_wrong_is_no_longer_told_once_it_is_right(
    serve: Serve, browse: OpenPage, tmp_path: Path
) -> None:
    page, form = _json_of_take_item(serve, browse, tmp_path)
    for _ in range(2):
        form.get_by_label("Sent as they stand").fill("{")
        form.get_by_role("button", name="Call with this JSON").click()
        expect(form.get_by_text("is no JSON")).to_be_visible()
    form.get_by_label("Sent as they stand").fill('{"item_id": "I-1", "quantity": 3}')
    form.get_by_role("button", name="Call with this JSON").click()
    expect(page.locator(".step")).to_have_count(1)
    expect(form.get_by_text("is no JSON")).to_have_count(0)


def test_too_much_in_a_form_is_told_and_the_page_goes_on(
    serve: Serve, browse: OpenPage, tmp_path: Path
) -> None:
    page, form = _json_of_take_item(serve, browse, tmp_path)
    for size in (300_000, 3_000_000):
        form.get_by_label("Sent as they stand").fill(f'{{"item_id": "{"x" * size}"}}')
        form.get_by_role("button", name="Call with this JSON").click()
        expect(page.get_by_role("alert")).to_contain_text("too much to send")
        page.get_by_role("button", name="Grade now").click()
        expect(page.get_by_role("alert")).to_be_hidden()


def test_a_tab_that_was_overtaken_by_another_acts_on_nothing(
    serve: Serve, browse: OpenPage, tmp_path: Path
) -> None:
    scenarios = [a_scenario(), a_scenario(id="again")]
    former = browse(serve(packs=[read_pack(write_pack(tmp_path, scenarios=scenarios))]))
    address = former.url
    former.get_by_role("button", name="Play Stock room, restock").click()
    expect(former.get_by_role("heading", name="The request")).to_be_visible()
    newer = former.context.new_page()
    newer.goto(address)
    newer.get_by_role("button", name="Another scenario").click()
    newer.get_by_role("button", name="Play Stock room, again").click()
    expect(newer.get_by_role("heading", name="The request")).to_be_visible()
    former.get_by_role("button", name="Replay the reference").click()
    expect(former.get_by_role("alert")).to_contain_text("perhaps in another tab")
    expect(former.locator(".step")).to_have_count(0)
    newer.get_by_role("button", name="Replay the reference").click()
    expect(newer.locator(".step")).to_have_count(1)
    former.reload()
    expect(former.locator(".step")).to_have_count(1)
    expect(former.get_by_role("alert")).to_be_hidden()
