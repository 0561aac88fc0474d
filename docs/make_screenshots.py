"""Make the pictures of the playground: `python docs/make_screenshots.py` writes them beside this.

It serves the library and takes the pictures with Chromium, so they show what the page is.
"""

import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.playground import PlaygroundSettings
from envscaler_eval.playground.app import build_app
from envscaler_eval.web_server import WebServer

FOLDER = Path(__file__).parent
SCREEN, PHONE = (1440, 900), (390, 844)
COLOURS = 128
REFERENCE_CALLS = 4


def main() -> None:
    """Serve, look, and write the pictures."""
    settings = PlaygroundSettings(packs=[read_pack(folder) for folder in find_packs()])
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with WebServer(build_app(settings)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--hide-scrollbars"]
        )
        played = _played(_open(browser, server.url, SCREEN))
        _save(played, "playground.png")
        _save(_played(_open(browser, server.url, PHONE)), "playground-phone.png")
        _save(_watched(_open(browser, f"{server.url}/watch", SCREEN)), "playground-watch.png")
        _save(_built(_open(browser, f"{server.url}/build", SCREEN)), "playground-build.png")
        browser.close()


def _open(browser: Browser, url: str, size: tuple[int, int]) -> Page:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(url)
    return page


def _choose(page: Page, verb: str) -> None:
    page.get_by_role("searchbox", name="Search").fill("irradiated for the baby")
    page.get_by_text("1 scenario", exact=True).wait_for()
    page.get_by_role("button", name=f"{verb} Hospital blood bank").first.click()


def _played(page: Page) -> Page:
    """Play some calls of the reference, open a tool, and grade."""
    _choose(page, "Play")
    page.get_by_role("button", name="Replay the reference").click()
    for number in range(1, REFERENCE_CALLS):
        page.locator(".step").nth(number - 1).wait_for()
        page.get_by_role("button", name="Next reference call").click()
    page.locator(".step").nth(REFERENCE_CALLS - 1).wait_for()
    page.get_by_role("button", name="Grade now").click()
    page.locator(".verdict").wait_for()
    if page.viewport_size and page.viewport_size["width"] > PHONE[0]:
        page.locator("#tools summary", has_text="reserve_unit").click()
        page.locator(".request .checklist").evaluate("one => one.parentElement.scrollTop = 9999")
    else:
        page.locator("#trace").evaluate("one => one.scrollIntoView()")
    return page


def _watched(page: Page) -> Page:
    """Watch the oracle with its user up to the end."""
    page.get_by_label("Mode").select_option("conv")
    page.get_by_label("Pace").select_option("0")
    _choose(page, "Watch")
    page.locator("#status").get_by_text("Ended:").wait_for(timeout=400_000)
    page.locator("#talk").evaluate("one => one.parentElement.scrollTop = 9999")
    return page


def _built(page: Page) -> Page:
    """Build from the recording up to the first repair."""
    page.get_by_role("button", name="Build from the recording").click()
    page.locator(".kind-repair").wait_for(timeout=600_000)
    page.locator(".kind-repair").evaluate("one => one.scrollIntoView({block: 'end'})")
    return page


def _save(page: Page, name: str) -> None:
    file = FOLDER / name
    page.screenshot(path=file)
    # Few colours are enough for a page, and make a small file.
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(COLOURS).save(file, optimize=True)


if __name__ == "__main__":
    main()
