"""Sweeps on this machine: the numbers of one run, however often they were cut short."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import list_eval_logs
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

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
