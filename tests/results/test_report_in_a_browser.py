"""A report in a real browser: nothing complains, nothing is wider than the screen."""

import html
import json
import re
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from inspect_ai.log import bundle_log_dir

from envscaler_eval.results import read_results
from envscaler_eval.results.report.build import ReportOptions, build_report
from envscaler_eval.results.report.page import as_html
from envscaler_eval.results.report.viewer import Viewer, find_viewer
from tests.chromium import BROWSER, needs_chromium
from tests.results.report_logs import better_run, faulty_run

PHONE, DESKTOP = 390, 1280
WAIT = 60
"""Seconds after which a browser is given up."""

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

pytestmark = needs_chromium


def _browse(page: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what a page measures at both widths, and what the console says."""
    frames = "".join(
        f'<iframe width="{width}" height="900" srcdoc="{html.escape(page)}"></iframe>'
        for width in (PHONE, DESKTOP)
    )
    wrapper = folder / "wrapper.html"
    wrapper.write_text(f"<script>{MEASURE}</script><pre></pre>{frames}", encoding="utf-8")
    told, console = _dump(wrapper.as_uri(), folder / "profile")
    return json.loads(told), console


def _dump(address: str, profile: Path) -> tuple[str, list[str]]:
    """Return what a page leaves in its `pre`, and what the console says."""
    finished = subprocess.run(
        [str(BROWSER), *FLAGS, f"--user-data-dir={profile}", address],
        capture_output=True,
        text=True,
        check=True,
        timeout=2 * WAIT,
    )
    told = re.search(r"<pre>(.+?)</pre>", finished.stdout, re.DOTALL)
    assert told, finished.stderr
    console = [line for line in finished.stderr.splitlines() if ":CONSOLE" in line]
    return html.unescape(told[1]), console


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


class _Visit(SimpleHTTPRequestHandler):
    """A folder on the web, with a page that shows another one and tells what it says.

    The browser writes a page down when all of it has come; `/until-seen` comes when the
    other page says the words that are waited for.
    """

    def __init__(self, folder: Path, seen: Event, *connection: Any) -> None:
        self.seen = seen
        super().__init__(*connection, directory=str(folder))

    def do_GET(self) -> None:
        if self.path == "/until-seen":
            self.seen.wait(WAIT)
        elif self.path == "/seen":
            self.seen.set()
        else:
            super().do_GET()
            return
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


WATCH = """
<iframe src="{page}" width="1200" height="800"></iframe><pre></pre><img src="/until-seen" alt="">
<script>
const watch = setInterval(() => {{
  const text = document.querySelector("iframe").contentDocument.body.innerText;
  if (!{words}.every(word => text.includes(word)) || text.includes({other})) return;
  clearInterval(watch);
  document.querySelector("pre").textContent = text;
  fetch("/seen");
}}, 50);
</script>
"""


def test_a_link_leads_to_the_sample_in_the_viewer(tmp_path: Path) -> None:
    faulty_run(tmp_path / "logs" / "deep" / "0.eval")
    bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "site" / "viewer"))
    table = read_results([tmp_path / "logs"])
    row = next(row for row in table.rows if row.sample == "env_0/s1")
    link = find_viewer(str(tmp_path / "site" / "viewer"), table, tmp_path / "site" / "r.html")
    # Its id, and the reward that no other sample has; a list of samples would have others, too.
    words = ["env_0/s1", "0.25"]
    visit = partial(_Visit, tmp_path / "site", Event())
    with ThreadingHTTPServer(("127.0.0.1", 0), visit) as site:
        Thread(target=site.serve_forever, daemon=True).start()
        page = WATCH.format(page=link.sample(row), words=json.dumps(words), other='"env_0/s0"')
        (tmp_path / "site" / "watch.html").write_text(page, encoding="utf-8")
        told, _ = _dump(f"http://127.0.0.1:{site.server_port}/watch.html", tmp_path / "profile")
        site.shutdown()
    assert all(word in told for word in words)
