"""Folders of sweeps: what counts of the logs and notes in them, whatever state they are in."""

import shutil
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.sweep.status import sweep_status
from envscaler_eval.sweep.work import DONE, FAILED
from tests.sweep.plans import a_plan, run_sweep, sweep_of, table_of


def test_a_copy_of_a_log_counts_once(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    whole = table_of(folder)
    for log in sorted(folder.glob("logs/**/*.eval")):
        shutil.copy(log, log.with_name(f"0-{log.name}"))
        shutil.copy(log, log.with_name(f"9-{log.name}"))
    table = read_results([folder])
    assert len(table.rows) == 24
    assert table_of(folder) == whole


def test_two_workers_at_one_shard_count_once(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    first = {row.log.path for row in read_results([folder]).rows}
    # A worker that was thought lost ends later: its record is not there when it begins.
    shutil.rmtree(folder / DONE)
    for log in folder.glob("logs/**/*.eval"):
        log.rename(folder / log.name)
    run_sweep(a_plan(rooms), folder)
    for log in folder.glob("*.eval"):
        name = log.name
        (place,) = {found.parent for found in folder.glob(f"logs/**/{name[:38]}*.eval")}
        finished = read_eval_log(str(log))
        # Clocks tell seconds, and both may have ended within one.
        finished.stats.completed_at = "2020-01-01T00:00:00+00:00"
        write_eval_log(finished, str(place / name))
        log.unlink()
    table = read_results([folder])
    assert len(table.rows) == 24
    # The one that was finished first.
    assert {row.log.path for row in table.rows} == first


def test_half_written_logs_do_not_count(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    rows = len(read_results([folder]).rows)
    log = min(folder.glob("logs/**/*.eval"))
    content = log.read_bytes()
    log.with_name("torn.eval").write_bytes(content[: len(content) // 2])
    started = read_eval_log(str(log))
    started.status = "started"
    started.location = ""
    write_eval_log(started, str(log.with_name("started.eval")))
    table = read_results([folder])
    assert len(table.rows) == rows
    assert any("torn.eval: left out, it is half-written" in note for note in table.notes)


def test_shards_of_an_earlier_plan_do_not_count(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    run_sweep(a_plan(rooms, trials=2), folder)
    table = read_results([folder])
    assert len(table.rows) == 48
    assert "6 logs of shards that the sweep no longer plans are left out" in table.notes
    assert sweep_status(str(folder)).strange == 6


def test_a_shard_whose_log_is_gone_is_run_again(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    whole = table_of(folder)
    min(folder.glob("logs/**/*.eval")).unlink()
    assert not sweep_status(str(folder)).is_complete
    assert len(run_sweep(a_plan(rooms), folder)) == 1
    assert sweep_status(str(folder)).is_complete
    assert table_of(folder) == whole


@pytest.mark.parametrize("where", [0.3, 0.5, 0.7, 0.95])
def test_a_damaged_log_does_not_count_and_its_copy_does(
    tmp_path: Path, rooms: str, where: float
) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    whole = table_of(folder)
    log = min(folder.glob("logs/**/*.eval"))
    shutil.copy(log, log.with_name(f"9-{log.name}"))
    content = bytearray(log.read_bytes())
    middle = int(len(content) * where)
    content[middle : middle + 300] = bytes(byte ^ 0xFF for byte in content[middle : middle + 300])
    log.write_bytes(content)
    table = read_results([folder])
    assert len(table.rows) == 24
    assert not any(row.missing for row in table.rows)
    shown = table_of(folder)
    assert whole == shown or any("half-written or damaged" in note for note in table.notes)


def test_a_damaged_list_of_shards_is_told_and_written_anew(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    whole = table_of(folder)
    manifest = folder / "sweep.json"
    for content in (manifest.read_bytes()[:100], b'{"shards": [{"key": 1}]}', b'{"shards": 5}'):
        manifest.write_bytes(content)
        for tell in (read_results, lambda paths: sweep_status(str(paths[0]))):
            with pytest.raises(UsageError, match=r"sweep.json: is damaged; run the sweep again"):
                tell([folder])
    run_sweep(a_plan(rooms), folder)
    assert table_of(folder) == whole


def test_damaged_notes_are_told_in_one_line(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    done = min((folder / DONE).iterdir())
    key, content = done.stem, done.read_bytes()
    for damaged in (content[:9], b"[]", b'{"usage": 3}'):
        done.write_bytes(damaged)
        with pytest.raises(UsageError, match=rf"{key}.json: is damaged; remove it and run"):
            sweep_status(str(folder))
    done.unlink()
    (folder / FAILED).mkdir(exist_ok=True)
    (folder / FAILED / f"{key}.json").write_bytes(b"{")
    (failure,) = sweep_status(str(folder)).failures
    assert failure.message == "the note that tells why is damaged"


def test_what_is_missing_is_told_from_within_the_folder(
    tmp_path: Path, rooms: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms, trials=2), folder)
    run_sweep(a_plan(rooms), folder)
    min(folder.glob("logs/**/*.eval")).unlink()
    whole = read_results([folder])
    monkeypatch.chdir(folder)
    for path in ("logs", "./logs", "../sweep/logs/"):
        table = read_results([path])
        assert [row.sample for row in table.rows] == [row.sample for row in whole.rows]
        assert [row.missing for row in table.rows] == [row.missing for row in whole.rows]


def test_a_unit_that_was_named_anew_by_a_grown_plan_misses_what_it_lacks(
    tmp_path: Path, rooms: str
) -> None:
    folder = tmp_path / "sweep"
    plan = a_plan(rooms, models=["policy/noop"], roles={"user": "policy/user"})
    run_sweep(plan, folder)
    # With a second entry for the task, the folder of the first says which it is.
    args = {**plan["tasks"][0]["args"], "mode": "conv"}
    sweep_of({**plan, "tasks": [*plan["tasks"], {"task": "envscaler", "args": args}]}, folder)
    min(folder.glob("logs/**/*.eval")).unlink()
    rows = read_results([folder]).rows
    assert len(rows) == 12
    assert sum(bool(row.missing) for row in rows) == 4
