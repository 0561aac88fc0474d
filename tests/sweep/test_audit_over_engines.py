"""Audits whose parts are done by the engines of sweeps."""

import dataclasses
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from envscaler_eval.audit import PackCard, Selection, audit_packs
from envscaler_eval.pack import LIBRARY
from envscaler_eval.sweep import Engine, Report, Store, Work
from envscaler_eval.sweep.audit_run import AuditOutcome, audit_over
from envscaler_eval.sweep.audit_work import run_audit_part
from envscaler_eval.sweep.engines import LocalEngine, SlurmEngine
from envscaler_eval.sweep.engines.slurm import run_part
from envscaler_eval.sweep.work import DONE, Item, keys_in, note_failure
from tests.audit.tool_shed import SOURCE, checks, guard, write_pack
from tests.cli.commands import in_process

VACUOUS = "def check(initial, final):\n    return len(final['tools']) > 3\n"


@dataclass(frozen=True)
class Audited:
    """A pack with a vacuous check, audited in one place and over an engine.

    Attributes:
        pack: Its folder.
        alone: The cards of `audit_packs`, whose cache is in `kept`.
        over: What came of an audit over two processes, whose results are in `store`.
    """

    pack: Path
    kept: Path
    store: Path
    alone: list[PackCard]
    over: AuditOutcome


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    folder = tmp_path_factory.mktemp("audited")
    pack = write_pack(folder, checks=[*checks(), guard(VACUOUS)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "kept"))
        alone = audit_packs([Selection(pack)], 2)
        patch.setenv("XDG_CACHE_HOME", str(folder / "other"))
        outcome = over(pack, folder / "store", LocalEngine(2))
    yield Audited(pack, folder / "kept", folder / "store", alone, outcome)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine have kept no card."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def over(pack: Path, store: Path, engine: Engine | None = None) -> AuditOutcome:
    return audit_over([Selection(pack)], engine or LocalEngine(), Store(str(store)))


def text(cards: Sequence[PackCard]) -> list[str]:
    return [card.model_dump_json() for card in cards]


def refuse(*_: object) -> None:
    raise AssertionError("an engine has nothing to do")


def test_cards_are_those_of_an_audit_in_one_place(audited: Audited) -> None:
    assert text(audited.over.cards) == text(audited.alone)
    assert len(keys_in(Store(str(audited.store)), DONE)) == 4
    assert not audited.alone[0].passed


def test_another_machine_takes_what_the_store_has(
    audited: Audited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalEngine, "run", refuse)
    assert text(over(audited.pack, audited.store).cards) == text(audited.alone)
    # What this machine keeps now is enough without the store, and for the plain audit.
    assert text(over(audited.pack, tmp_path / "empty").cards) == text(audited.alone)
    parts: list[int] = []
    audit_packs([Selection(audited.pack)], 1, lambda _, total: parts.append(total))
    assert max(parts) == 0


def test_a_changed_pack_is_audited_anew(pack: Path, tmp_path: Path) -> None:
    before = {item.key for item in planned(pack, tmp_path / "store")}
    (pack / "environment.py").write_text(SOURCE.replace("1 <= days <= 14", "0 <= days <= 14"))
    after = {item.key for item in planned(pack, tmp_path / "store")}
    assert len(before | after) == 8


def planned(pack: Path, store: Path) -> list[Item]:
    """Return the items of an audit, none of which is done."""
    found: list[Item] = []

    class Planner(LocalEngine):
        def run(self, work: Work, items: Sequence[Item], tell: Callable[[Report], None]) -> None:
            found.extend(items)

    assert over(pack, store, Planner()).missing == len(found)
    return found


def test_a_machine_with_another_pack_says_so_in_one_line(pack: Path, tmp_path: Path) -> None:
    items = planned(pack, tmp_path / "store")
    (pack / "environment.py").write_text(SOURCE.replace("1 <= days <= 14", "0 <= days <= 14"))
    for item in items:
        with pytest.raises(ValueError, match="there is another pack here than the one") as refusal:
            run_audit_part(item.key, item.payload, Store(str(tmp_path / "store")))
        assert "\n" not in str(refusal.value)


def test_a_machine_with_another_release_says_so(pack: Path, tmp_path: Path) -> None:
    item, *_ = planned(pack, tmp_path / "store")
    other = dataclasses.replace(item, payload={**item.payload, "engine": "0" * 64})
    with pytest.raises(ValueError, match="another release of envscaler-eval"):
        run_audit_part(other.key, other.payload, Store(str(tmp_path / "store")))


def test_a_pack_of_the_library_is_found_where_a_machine_has_it(tmp_path: Path) -> None:
    folder = next(place for place in sorted(LIBRARY.iterdir()) if (place / "pack.yaml").exists())
    item = planned(folder, tmp_path / "store")[0]
    assert item.payload["library"] is True
    assert item.payload["pack"] == folder.name


def test_slurm_does_what_is_missing_and_the_second_call_has_the_cards(
    audited: Audited, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(audited.store, store)
    traces = [file for file in (store / DONE).iterdir() if "oracle" not in file.read_text()]
    min(traces, key=lambda file: file.stat().st_size).unlink()
    engine = SlurmEngine(workers=4, folder=tmp_path / "slurm")
    assert over(audited.pack, store, engine).missing == 1
    assert "--array=0-0%4" in engine.script.read_text()
    (job,) = (store / "jobs").iterdir()
    assert run_part(f"{store}/jobs/{job.name}", 0, 1, lambda _: None)
    assert text(over(audited.pack, store, engine).cards) == text(audited.alone)


def test_the_command_shows_what_it_shows_without_an_engine(
    audited: Audited,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    envscaler = in_process(monkeypatch, capsys)
    options = ("--out", audited.store, "--workers", 1)
    code, shown, _ = envscaler("audit", audited.pack, *options)
    monkeypatch.setenv("XDG_CACHE_HOME", str(audited.kept))
    assert envscaler("audit", audited.pack)[:2] == (code, shown)
    assert code == 1


def test_parts_that_cannot_be_done_are_told_and_end_with_exit_code_1(
    pack: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for item in planned(pack, tmp_path / "store"):
        note_failure(Store(str(tmp_path / "store")), Report(item.key, "failed", "its disk is full"))
    monkeypatch.setattr(LocalEngine, "run", lambda *_: None)
    options = ("--out", tmp_path / "store")
    code, shown, errors = in_process(monkeypatch, capsys)("audit", pack, *options)
    assert code == 1
    assert not shown
    assert "its disk is full" in errors
    assert "4 parts are not done; the same command goes on" in errors


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
