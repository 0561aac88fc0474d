"""Logs become one table, in which nothing is lost."""

from pathlib import Path

import pytest
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from envscaler_eval.errors import UsageError
from envscaler_eval.results import ResultTable, read_results
from tests.inspect_runs import run
from tests.pack_files import a_scenario, write_pack
from tests.results.log_files import write_log


def _scores(table: ResultTable) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for row in table.rows:
        found.setdefault(row.sample, []).append(row.scores.get(row.log.primary))
    return found


def test_a_run_of_the_task_gives_a_row_for_each_episode(pack_folder: Path, tmp_path: Path) -> None:
    run(pack_folder, "policy/oracle", tmp_path / "logs", "policy/user", mode="both", trials=2)
    table = read_results([tmp_path / "logs"])
    (log,) = table.logs
    assert (log.task, log.model, log.version, log.epochs) == (
        "envscaler",
        "policy/oracle",
        "1-A",
        2,
    )
    assert log.primary == "reward"
    assert log.roles == {"user": "policy/user"}
    assert len(log.data) == 1
    assert {(row.group, row.epoch) for row in table.rows} == {
        ("non_conv", 1),
        ("non_conv", 2),
        ("conv", 1),
        ("conv", 2),
    }
    for row in table.rows:
        assert row.scores == {"reward": 1, "success": 1, "paper_reward": 1}
        assert row.cluster == row.metadata["env"]
        assert row.ended_by == ("completed" if row.group == "non_conv" else "user_stop")
        assert row.steps and row.tokens > 0
        assert row.missing is None


def test_what_a_report_needs_is_in_the_summaries_however_many_checks_there_are(
    tmp_path: Path,
) -> None:
    code = "def check(initial, final):\n    return final['items']['I-1']['quantity'] == 7"
    checks = [
        {"about": f"three bolts were taken, told at some length, number {n}", "kind": "goal"}
        | {"code": code}
        for n in range(30)
    ]
    pack = write_pack(tmp_path, scenarios=[a_scenario(checks=checks)])
    run(pack, "policy/noop", tmp_path / "logs")
    (row,) = read_results([tmp_path / "logs"]).rows
    assert "checks" not in row.facts
    assert row.facts["failed_checks"] == list(range(30))
    assert set(row.facts["tool_errors"]) == {"failed", "raised", "invalid", "unknown", "malformed"}
    assert (row.facts["ended_by"], row.facts["steps"]) == ("completed", 1)


def test_tasks_of_others_are_read_by_their_numbers_and_letters(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": ["C", "I"], "b": ["P", "N"]})
    assert _scores(read_results([tmp_path])) == {"a": [1, 0], "b": [0.5, 0]}


def test_yes_no_booleans_and_numbers_in_text_are_numbers(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [True, "no"], "b": ["0.25", 3]})
    assert _scores(read_results([tmp_path])) == {"a": [1, 0], "b": [0.25, 3]}


def test_a_score_in_words_is_refused_and_never_read_as_zero(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": ["blue"], "b": ["C"]})
    with pytest.raises(UsageError, match=r"log.eval: no sample has a numeric score"):
        read_results([path])


def test_of_a_run_that_failed_before_any_score_it_is_told_to_finish_it(tmp_path: Path) -> None:
    for name, runs in (("some", {"a": [RuntimeError("down")]}), ("none", {"a": [None]})):
        path = write_log(tmp_path / name, runs, status="cancelled")
        with pytest.raises(UsageError, match=r"failed before any sample.*`inspect eval-retry`"):
            read_results([path])


def test_numbers_beside_words_are_read(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [{"right": "C", "colour": "blue"}]})
    (row,) = read_results([tmp_path]).rows
    assert row.scores == {"right": 1}


def test_two_scorers_with_the_same_key_are_told_apart(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": [{"right": 1.0}]})
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(path))
    assert log.samples is not None and log.samples[0].scores is not None
    log.samples[0].scores["second"] = Score(value={"right": 0.0})
    write_eval_log(log, str(path))
    (row,) = read_results([path]).rows
    assert row.scores == {"right": 1, "second/right": 0}


def test_what_has_no_score_stays_in_the_table_and_says_why(tmp_path: Path) -> None:
    write_log(
        tmp_path,
        {
            "a": [1.0, RuntimeError("provider down")],
            "b": [None, Score.unscored(reason="no checks")],
            "c": [None, None],
        },
    )
    table = read_results([tmp_path])
    assert {(row.sample, row.epoch): row.missing for row in table.rows} == {
        ("a", 1): None,
        ("a", 2): "error: provider down",
        ("b", 1): "not run",
        ("b", 2): "unscored: no checks",
        ("c", 1): "not run",
        ("c", 2): "not run",
    }


def test_a_score_given_after_a_fault_of_the_infrastructure_does_not_count(tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": [1.0], "b": [RuntimeError("down")]})
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(path))
    assert log.samples is not None
    log.samples[1].scores = {"judge": Score(value=0.0)}
    write_eval_log(log, str(path))
    assert _scores(read_results([path])) == {"a": [1], "b": [None]}


@pytest.mark.parametrize(
    ("task", "metadata", "cluster", "group"),
    [
        ("envscaler_eval/envscaler", {"env": "hotel", "mode": "conv"}, "hotel", "conv"),
        (
            "envscaler_eval/bfcl_multi_turn",
            {"number": "17", "category": "miss_func"},
            "17",
            "miss_func",
        ),
        (
            "envscaler_eval/tau_bench",
            {"domain": "retail", "split": "dev", "task": 4},
            "retail/dev/4",
            "retail",
        ),
        (
            "envscaler_eval/acebench_agent",
            {"task": "agent_multi_step_3", "subset": "multi_step", "language": "zh"},
            "agent_multi_step_3",
            "multi_step",
        ),
        ("inspect_evals/gsm8k", {"env": "hotel"}, "s", None),
    ],
)
def test_each_task_has_its_own_clusters(
    task: str, metadata: dict[str, object], cluster: str, group: str | None, tmp_path: Path
) -> None:
    write_log(tmp_path, {"s": [1.0]}, task=task, sample_metadata={"*": metadata})
    (row,) = read_results([tmp_path]).rows
    assert (row.cluster, row.group) == (cluster, group)


def test_clusters_can_be_named(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [1.0], "b": [0.0]}, sample_metadata={"*": {"topic": "algebra"}})
    assert {row.cluster for row in read_results([tmp_path], "topic").rows} == {"algebra"}
    with pytest.raises(UsageError, match=r"log.eval: sample a has no metadata 'author'"):
        read_results([tmp_path], "author")


def test_tokens_are_those_of_the_model_under_test_alone(tmp_path: Path) -> None:
    write_log(
        tmp_path,
        {"a": [1.0]},
        usage={"acme/one": ModelUsage(total_tokens=100, total_cost=0.5)},
        role_usage={"user": ModelUsage(total_tokens=30, total_cost=0.125)},
    )
    (row,) = read_results([tmp_path]).rows
    assert (row.tokens, row.cost) == (70, 0.375)


def test_of_a_retried_run_the_last_attempt_counts(tmp_path: Path) -> None:
    for name, created, value in (("1.eval", "2026-01-01", 0.0), ("2.eval", "2026-01-02", 1.0)):
        write_log(
            tmp_path,
            {"a": [value]},
            name=name,
            task_id="the same",
            created=f"{created}T00:00:00+00:00",
        )
    table = read_results([tmp_path])
    assert _scores(table) == {"a": [1]}
    assert len(table.notes) == 1 and "1.eval: left out" in table.notes[0]


def test_json_logs_read_like_eval_logs(tmp_path: Path) -> None:
    paths = [write_log(tmp_path, {"a": [1.0, None]}, name=name) for name in ("l.eval", "l.json")]
    one, other = (read_results([path]) for path in paths)
    assert _scores(one) == _scores(other) == {"a": [1, None]}


def test_folders_are_searched_and_a_log_is_read_once(tmp_path: Path) -> None:
    path = write_log(tmp_path / "deep" / "down", {"a": [1.0]})
    assert len(read_results([tmp_path]).rows) == 1
    assert len(read_results([path, path]).rows) == 1


def test_a_run_that_did_not_end_well_is_told(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [1.0], "b": [None]}, status="cancelled")
    table = read_results([tmp_path])
    assert [row.missing for row in table.rows] == [None, "not run"]
    assert len(table.notes) == 1 and "the run ended as 'cancelled'" in table.notes[0]


@pytest.mark.parametrize("content", ["", "{}", "PK"])
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_what_is_no_log_is_refused_in_one_line(content: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"report.{suffix}"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="this is no log of Inspect") as fault:
        read_results([path])
    assert "\n" not in fault.value.message


def test_what_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such log or folder"):
        read_results([tmp_path / "nowhere.eval"])
    with pytest.raises(UsageError, match="there is no log in this folder"):
        read_results([tmp_path])
