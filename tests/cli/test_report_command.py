"""The command that shows all that logs say on one page."""

import re
from pathlib import Path

from tests.cli.commands import Command
from tests.inspect_runs import run
from tests.results.report_logs import faulty_run


def test_real_runs_become_a_page(envscaler: Command, pack_folder: Path, tmp_path: Path) -> None:
    for model in ("policy/noop", "policy/oracle"):
        run(pack_folder, model, tmp_path / "logs")
    out = tmp_path / "report.html"
    options = ("-o", out, "--viewer", "https://acme.example", "--title", "Both")
    code, output, _ = envscaler("report", tmp_path / "logs", *options)
    assert code == 0
    assert f"{out}: scores, comparison, environments, failures, similarity, samples" in output
    # Which of the two is compared with the other depends on the names of their logs.
    assert re.search(r"- envscaler, policy/oracle: no intervals?, since 1 clusters", output)
    page = out.read_text(encoding="utf-8")
    assert "<h1>Both</h1>" in page
    assert 'href="https://acme.example/#/logs/' in page
    # The words of a check that noop fails, from the pack or the log.
    assert "three bolts were taken" in page


def test_a_page_that_cannot_be_written_is_told(envscaler: Command, tmp_path: Path) -> None:
    log = faulty_run(tmp_path / "log.eval")
    out = tmp_path / "nowhere" / "report.html"
    code, _, errors = envscaler("report", log, "-o", out)
    assert code == 2
    assert f"{out}: cannot be written" in errors
