"""Playing by hand, in a real browser."""

from playwright.sync_api import Page, expect

from envscaler_eval.pack import Pack, locate, read_pack
from envscaler_eval.playground.form_fields import form_of
from envscaler_eval.scenario import Scenario
from tests.chromium import needs_chromium
from tests.playground.conftest import PHONE, OpenPage, Serve
from tests.playground.typing_calls import call_by_hand

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
