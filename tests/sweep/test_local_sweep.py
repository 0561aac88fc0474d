"""Sweeps on this machine: the numbers of one run, however often they were cut short."""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.sweep import Report, Store, map_items
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.status import sweep_status
from envscaler_eval.sweep.work import DONE, FAILED, keys_in
from tests.sweep.plans import a_plan, run_sweep, sweep_of, table_of, write_rooms

ASKED: list[str] = []
DOWN: set[str] = set()
STOPPED_AT: list[int] = []


@modelapi(name="shaky")
class Shaky(ModelAPI):
    """A provider that is down for some scenarios, which it knows by a word of the request."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Say that it is done, or fail."""
        text = input[-1].text
        ASKED.append(text)
        if len(ASKED) in STOPPED_AT:
            signal.raise_signal(signal.SIGINT)
        if any(word in text for word in DOWN):
            raise RuntimeError("the provider is down")
        output = ModelOutput.from_content("shaky/one", "Done.")
        return output


@pytest.fixture(autouse=True)
def _up() -> Iterator[None]:
    for what in (ASKED, DOWN, STOPPED_AT):
        what.clear()
    yield
    DOWN.clear()
    STOPPED_AT.clear()


@pytest.fixture
def rooms(tmp_path: Path) -> str:
    return write_rooms(tmp_path)


def test_a_sweep_has_the_scores_of_a_plain_run(tmp_path: Path, rooms: str) -> None:
    plan = a_plan(rooms)
    run_sweep(plan, tmp_path / "sweep")
    for model, args in (("policy/noop", {}), ("policy/oracle", {"error_rate": 0.4})):
        inspect_eval(
            "envscaler_eval/envscaler",
            task_args=plan["tasks"][0]["args"],
            model=model,
            model_args=args,
            log_dir=str(tmp_path / "plain"),
            display="none",
        )

    def rewards(folder: Path) -> dict[tuple[str, str], float]:
        rows = read_results([folder]).rows
        return {(row.log.player, row.sample): row.scores["reward"] for row in rows}

    assert rewards(tmp_path / "sweep") == rewards(tmp_path / "plain")
    assert len(set(rewards(tmp_path / "sweep").values())) > 2


def test_a_second_start_does_nothing(tmp_path: Path, rooms: str) -> None:
    run_sweep(a_plan(rooms), tmp_path / "sweep")
    assert run_sweep(a_plan(rooms), tmp_path / "sweep") == []


def test_a_plan_that_has_grown_runs_only_what_is_new(tmp_path: Path, rooms: str) -> None:
    run_sweep(a_plan(rooms), tmp_path / "sweep")
    grown = a_plan(rooms, models=[*a_plan(rooms)["models"], "policy/oracle"])
    assert len(run_sweep(grown, tmp_path / "sweep")) == 3
    assert len({row.log.player for row in read_results([tmp_path / "sweep"]).rows}) == 3


def test_what_was_not_run_is_missing_and_then_made_up_for(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    whole = table_of(folder)
    sweep = sweep_of(a_plan(rooms), folder)
    lost = sweep.shards[1]
    (log,) = folder.glob(f"logs/**/*{lost.key}*.eval")
    log.unlink()
    (folder / DONE / f"{lost.key}.json").unlink()
    table = read_results([folder])
    absent = [row for row in table.rows if row.missing]
    assert {row.sample for row in absent} == set(lost.samples)
    assert any("1 of 6 shards are not done, and their 4 episodes" in note for note in table.notes)
    assert table_of(folder) != whole
    assert [report.key for report in run_sweep(a_plan(rooms), folder)] == [lost.key]
    assert table_of(folder) == whole


def test_a_sample_that_fails_costs_no_other(tmp_path: Path) -> None:
    folder, rooms = tmp_path / "sweep", write_rooms(tmp_path, scenarios=2)
    file = Path(rooms) / "room_0" / "scenarios.yaml"
    file.write_text(file.read_text().replace("Take three bolts", "Please take three bolts", 1))
    plan: dict[str, Any] = a_plan(rooms, models=["shaky/one"], retries=0, sample_retries=0)
    DOWN.add("Please")
    (report,) = run_sweep(plan, folder)
    assert report.status == "failed"
    assert "1 of 4 episodes failed" in report.message
    (failure,) = sweep_status(str(folder)).failures
    assert "provider is down" in failure.message
    rows = read_results([folder]).rows
    assert [bool(row.missing) for row in rows].count(True) == 1
    # The next start asks for the one that failed, and for no other.
    DOWN.clear()
    ASKED.clear()
    run_sweep(plan, folder)
    assert len(ASKED) == 1
    assert "Please" in ASKED[0]
    assert sweep_status(str(folder)).is_complete
    table = read_results([folder])
    assert len(table.rows) == 4
    assert not any(row.missing for row in table.rows)
    assert not keys_in(Store(str(folder)), FAILED)


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


def test_nothing_is_left_of_attempts(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    run_sweep(a_plan(rooms), folder)
    assert not list(folder.glob("attempts/*/*"))
    assert len(list_eval_logs(str(folder))) == 6


def test_a_cut_run_goes_on_where_it_stood(tmp_path: Path) -> None:
    folder, rooms = tmp_path / "sweep", write_rooms(tmp_path, scenarios=2)
    plan = a_plan(rooms, models=["shaky/one"])
    sweep = sweep_of(plan, folder)
    (shard,) = sweep.shards
    # What a worker leaves that is lost with half of its shard done.
    log_dir = folder / "attempts" / shard.key / "lost"
    inspect_eval(
        shard.unit.build(),
        model="shaky/one",
        sample_id=list(shard.samples[:2]),
        log_dir=str(log_dir),
        metadata={},
        display="none",
    )
    ASKED.clear()
    run_sweep(plan, folder)
    assert len(ASKED) == 2
    assert len(read_results([folder]).rows) == 4


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


def test_a_machine_with_other_packs_says_so(tmp_path: Path, rooms: str) -> None:
    folder = tmp_path / "sweep"
    sweep = sweep_of(a_plan(rooms), folder)
    file = Path(rooms) / "room_0" / "environment.py"
    file.write_text(file.read_text() + "\n# Another hash.\n")
    reports: list[Report] = []
    map_items(sweep.work, sweep.items, LocalEngine(), reports.append)
    assert len(reports) == 6
    for report in reports:
        assert report.final
        assert "are others than when the sweep was planned" in report.message
    assert not list(folder.glob("logs/**/*.eval"))


@pytest.mark.parametrize("changes", [{"limits": {"shaky": 4}}, {"sample_retries": 1}])
def test_what_was_begun_goes_on_with_other_limits_and_retries(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    folder, rooms = tmp_path / "sweep", write_rooms(tmp_path, scenarios=2)
    file = Path(rooms) / "room_0" / "scenarios.yaml"
    file.write_text(file.read_text().replace("Take three bolts", "Please take three bolts", 1))
    plan: dict[str, Any] = a_plan(rooms, models=["shaky/one"], retries=0, sample_retries=0)
    DOWN.add("Please")
    run_sweep(plan, folder)
    DOWN.clear()
    ASKED.clear()
    (report,) = run_sweep({**plan, **changes}, folder)
    assert report.status == "done"
    assert len(ASKED) == 1


def test_a_person_who_stops_a_sweep_stops_all_of_it(tmp_path: Path, rooms: str) -> None:
    folder, plan = tmp_path / "sweep", a_plan(rooms, models=["shaky/one"])
    STOPPED_AT.append(6)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(plan, folder)
    assert len(ASKED) < 12
    assert len(keys_in(Store(str(folder)), DONE)) == 1
    assert not keys_in(Store(str(folder)), FAILED)
    STOPPED_AT.clear()
    assert len(run_sweep(plan, folder)) == 2
    assert len(read_results([folder]).rows) == 12
