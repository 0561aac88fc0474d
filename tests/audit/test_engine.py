"""Auditing many packs: caching, recording, reporting."""

import json
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from envscaler_eval.audit import Selection, audit_packs, audited_hash, record_quality
from envscaler_eval.audit.report import html_page, rates_text
from envscaler_eval.cli.app import app
from envscaler_eval.isolation import IsolationChoice, IsolationPolicy
from envscaler_eval.pack import read_pack
from envscaler_eval.runtime.gate import GateError
from tests.audit.tool_shed import checks, guard, write_pack

VACUOUS = "def check(initial, final):\n    return len(final['tools']) > 3\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_what_has_not_changed_is_not_audited_again(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    parts: list[int] = []
    first = audit_packs([Selection(folder)], 1, lambda done, total: parts.append(total))
    assert max(parts) == 4  # the environment, the scenario, and two traces
    parts.clear()
    second = audit_packs([Selection(folder)], 1, lambda done, total: parts.append(total))
    assert max(parts) == 0
    assert second == first
    scenarios = folder / "scenarios.yaml"
    scenarios.write_text(scenarios.read_text().replace("for 5 days.", "for 5 days, please."))
    audit_packs([Selection(folder)], 1, lambda done, total: parts.append(total))
    assert max(parts) == 4


def test_numbers_are_recorded_with_the_hash_of_what_was_audited(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    before = (folder / "pack.yaml").read_text()
    (card,) = audit_packs([Selection(folder)], 1)
    record_quality(folder, card)
    record_quality(folder, card)
    pack = read_pack(folder)
    assert pack.info.quality["audited"] == audited_hash(pack)
    assert pack.info.quality["oracle"] == 1.0
    assert (folder / "pack.yaml").read_text().startswith(before)
    assert pack.hash == read_pack(folder).hash


def test_report_is_one_page_without_a_network(tmp_path: Path) -> None:
    (card,) = audit_packs([Selection(write_pack(tmp_path))], 1)
    page = html_page([card])
    assert "tool_shed" in page and "saturday" in page
    assert "http" not in page
    assert "False positives" in rates_text([card])


def test_command_exits_with_1_and_says_why(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, checks=[*checks(), guard(VACUOUS)])
    output = tmp_path / "cards.json"
    ended = CliRunner().invoke(
        app,
        ["audit", str(folder), "--jobs", "1", "--json", str(output)],
        env={"COLUMNS": "200"},
    )
    assert ended.exit_code == 1
    assert "check 3 (a guard) answers the same for every ending" in ended.stdout
    (card,) = json.loads(output.read_text())
    assert card["env"] == "tool_shed"


def test_isolated_audit_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_pack(tmp_path, checks=[*checks(), guard(VACUOUS)])
    cards = []
    for choice in get_args(IsolationChoice):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / choice))
        cards += audit_packs([Selection(folder)], 1, isolation=IsolationPolicy(choice))
    assert cards[0] == cards[1] == cards[2]
    assert cards[0].environment.items[-1].value is not None


def test_pack_of_a_stranger_is_never_run_in_this_process(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    program = folder / "environment.py"
    program.write_text(f"import os\n{program.read_text()}")
    with pytest.raises(GateError, match="imports os"):
        CliRunner().invoke(app, ["audit", str(folder)], catch_exceptions=False)
