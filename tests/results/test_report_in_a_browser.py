"""A report in a real browser: nothing complains, nothing is wider than the screen."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.results import read_results
from envscaler_eval.results.report.build import ReportOptions, build_report
from envscaler_eval.results.report.page import as_html
from envscaler_eval.results.report.viewer import Viewer
from tests.results.report_logs import better_run, faulty_run

PHONE, DESKTOP = 390, 1280
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--enable-logging=stderr", "--dump-dom"),
)
# Opens all that is folded before it measures; what scrolls in a frame of its own is no overflow.
MEASURE = """
addEventListener("load", () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument;
    const width = () => page.documentElement.scrollWidth;
    const folded = width();
    page.querySelectorAll("details").forEach(one => one.open = true);
    found[frame.width] = {
      folded, unfolded: width(),
      drawings: [...page.querySelectorAll("svg")].map(one => one.getBoundingClientRect().height),
      sections: page.querySelectorAll("section").length,
    };
  }
  document.querySelector("pre").textContent = JSON.stringify(found);
});
"""

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium; on Debian `apt-get install chromium` brings it"
)


def _browse(page: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what a page measures at both widths, and what the console says."""
    frames = "".join(
        f'<iframe width="{width}" height="900" srcdoc="{html.escape(page)}"></iframe>'
        for width in (PHONE, DESKTOP)
    )
    wrapper = folder / "wrapper.html"
    wrapper.write_text(f"<script>{MEASURE}</script><pre></pre>{frames}", encoding="utf-8")
    finished = subprocess.run(
        [str(BROWSER), *FLAGS, f"--user-data-dir={folder / 'profile'}", wrapper.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    told = re.search(r"<pre>(.*?)</pre>", finished.stdout)
    assert told and told[1], finished.stderr
    console = [line for line in finished.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(html.unescape(told[1])), console


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with every kind of section but those of published figures and similarity."""
    folder = tmp_path_factory.mktemp("logs")
    long_name = "acme/a-model-with-quite-a-long-name-235B-Instruct-2507"
    logs = [
        faulty_run(folder / "0.eval", metadata={"environments": 0, "training_mode": "none"}),
        better_run(
            folder / "20.eval", long_name, metadata={"environments": 20, "training_mode": "conv"}
        ),
    ]
    viewer = Viewer("view/index.html", {str(log): log.name for log in logs})
    return as_html(build_report(read_results(logs), None, viewer, ReportOptions()))


def test_the_page_fits_a_phone_and_a_screen_without_complaints(report: str, tmp_path: Path) -> None:
    found, console = _browse(report, tmp_path)
    assert console == []
    for width in (PHONE, DESKTOP):
        page = found[str(width)]
        # A scroll bar may take some of the width, but nothing may need more.
        assert page["folded"] <= width
        assert page["unfolded"] <= width
        assert page["sections"] == 7
        assert len(page["drawings"]) == 6
        assert min(page["drawings"]) > 50


def test_what_is_wider_than_a_phone_or_loads_something_would_be_seen(
    report: str, tmp_path: Path
) -> None:
    wide = '<p style="width: 500px">wide</p><img src="https://acme.example/a.png" alt="">'
    found, console = _browse(report.replace("<main>", f"<main>{wide}"), tmp_path)
    assert found[str(PHONE)]["folded"] > PHONE
    assert any("Content Security Policy" in line for line in console)
