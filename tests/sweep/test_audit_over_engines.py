"""Audits whose parts are done by the engines of sweeps."""

import dataclasses
import os
from pathlib import Path

import pytest

from envscaler_eval.audit import PackCard, Selection, audit_packs
from envscaler_eval.pack import read_pack
from envscaler_eval.sweep import Engine, Store
from envscaler_eval.sweep.audit_run import AuditOutcome, audit_over
from envscaler_eval.sweep.audit_work import run_audit_part
from envscaler_eval.sweep.engines import LocalEngine, SlurmEngine
from envscaler_eval.sweep.engines.slurm import run_part
from envscaler_eval.sweep.work import DONE, Item, keys_in
from tests.audit.tool_shed import SOURCE, checks, guard, write_pack
from tests.cli.commands import in_process
from tests.sweep.test_on_ray import REPOSITORY

VACUOUS = "def check(initial, final):\n    return len(final['tools']) > 3\n"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path, checks=[*checks(), guard(VACUOUS)])


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_cache(tmp_path / "first", monkeypatch)
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)


def fresh_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine have kept no card."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))


def over(pack: Path, store: Path, engine: Engine | None = None) -> AuditOutcome:
    return audit_over([Selection(pack)], engine or LocalEngine(), Store(str(store)))


def text(cards: list[PackCard]) -> list[str]:
    return [card.model_dump_json() for card in cards]


def test_cards_are_those_of_an_audit_in_one_place(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = over(pack, tmp_path / "store", LocalEngine(2))
    assert len(keys_in(Store(str(tmp_path / "store")), DONE)) == 4
    fresh_cache(tmp_path / "second", monkeypatch)
    alone = audit_packs([Selection(pack)], 1)
    assert text(list(outcome.cards)) == text(alone)
    assert not alone[0].passed


def test_another_machine_takes_what_the_store_has(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = over(pack, tmp_path / "store")
    fresh_cache(tmp_path / "second", monkeypatch)

    def refuse(*_: object) -> None:
        raise AssertionError("an engine has nothing to do")

    monkeypatch.setattr(LocalEngine, "run", refuse)
    assert text(list(over(pack, tmp_path / "store").cards)) == text(list(first.cards))
    # What this machine keeps now is enough without the store, and for the plain audit.
    assert over(pack, tmp_path / "empty").cards == first.cards
    parts: list[int] = []
    assert audit_packs([Selection(pack)], 1, lambda _, total: parts.append(total)) == first.cards
    assert max(parts) == 0


def test_a_changed_pack_is_audited_anew(pack: Path, tmp_path: Path) -> None:
    (before,) = over(pack, tmp_path / "store").cards
    (pack / "environment.py").write_text(SOURCE.replace("1 <= days <= 14", "0 <= days <= 14"))
    (after,) = over(pack, tmp_path / "store").cards
    assert len(keys_in(Store(str(tmp_path / "store")), DONE)) == 8
    assert after.audited != before.audited
    assert after.environment != before.environment


def planned(pack: Path, store: Path) -> list[Item]:
    """Return the items of an audit, none of which is done."""
    found: list[Item] = []

    class Planner(LocalEngine):
        def run(self, work: object, items: object, tell: object) -> None:
            found.extend(items)  # type: ignore[call-overload]

    assert over(pack, store, Planner()).missing == 4
    return found


def test_a_machine_with_another_pack_says_so_in_one_line(pack: Path, tmp_path: Path) -> None:
    items = planned(pack, tmp_path / "store")
    (pack / "environment.py").write_text(SOURCE.replace("1 <= days <= 14", "0 <= days <= 14"))
    for item in items:
        with pytest.raises(ValueError, match="has another pack there than the one") as refusal:
            run_audit_part(item.key, item.payload, Store(str(tmp_path / "store")))
        assert "\n" not in str(refusal.value)


def test_a_machine_with_another_release_says_so(pack: Path, tmp_path: Path) -> None:
    item, *_ = planned(pack, tmp_path / "store")
    other = dataclasses.replace(item, payload={**item.payload, "engine": "0" * 64})
    with pytest.raises(ValueError, match="another release of envscaler-eval"):
        run_audit_part(other.key, other.payload, Store(str(tmp_path / "store")))


def test_a_pack_of_the_library_is_found_where_a_machine_has_it(tmp_path: Path) -> None:
    from envscaler_eval.audit.engine import _assess
    from envscaler_eval.isolation import IsolationPolicy
    from envscaler_eval.pack import LIBRARY
    from envscaler_eval.sweep.audit_work import audit_part

    folder = next(place for place in sorted(LIBRARY.iterdir()) if (place / "pack.yaml").exists())
    item = audit_part(read_pack(folder), _assess, ()).item(read_pack(folder), IsolationPolicy())
    assert item.payload["library"] is True
    assert item.payload["pack"] == folder.name


def test_slurm_does_the_parts_and_the_second_call_has_the_cards(pack: Path, tmp_path: Path) -> None:
    engine = SlurmEngine(workers=4, folder=tmp_path / "slurm")
    assert over(pack, tmp_path / "store", engine).missing == 4
    assert "--array=0-3%4" in engine.script.read_text()
    (job,) = (tmp_path / "store" / "jobs").iterdir()
    for part in range(4):
        assert run_part(f"{tmp_path / 'store'}/jobs/{job.name}", part, 4, lambda _: None)
    outcome = over(pack, tmp_path / "store", engine)
    assert not outcome.missing
    assert [card.env for card in outcome.cards] == ["tool_shed"]


def test_the_command_shows_what_it_shows_without_an_engine(
    pack: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    envscaler = in_process(monkeypatch, capsys)
    code, plain, _ = envscaler("audit", pack, "--jobs", 1)
    fresh_cache(tmp_path / "second", monkeypatch)
    over_engine = envscaler("audit", pack, "--out", tmp_path / "store", "--workers", 1)
    assert over_engine[:2] == (code, plain)
    assert code == 1
    assert keys_in(Store(str(tmp_path / "store")), DONE)


@pytest.mark.parametrize("options", [("--engine", "slurm"), ("--workers", "2")])
def test_an_engine_without_a_place_for_results_is_refused(
    pack: Path,
    options: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, errors = in_process(monkeypatch, capsys)("audit", pack, *options)
    assert code == 2
    assert "--out is needed" in errors
