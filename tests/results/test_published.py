"""The published figures are those of the paper, and are never taken for runs."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.results.published import published, published_tables
from tests.results.log_files import write_log

TASKS = ("bfcl_multi_turn", "tau_bench", "acebench_agent")


@pytest.mark.parametrize("task", TASKS)
def test_each_mean_is_that_of_its_parts(task: str) -> None:
    for row in published().rows:
        *parts, mean = row.of_task(task)
        assert len(parts) == len(published().columns[task])
        # The paper's means are of figures before they were rounded.
        assert mean == pytest.approx(sum(parts) / len(parts), abs=0.03), row.model


def test_the_gains_are_those_that_the_paper_tells() -> None:
    figures = {(row.model, row.training): row for row in published().rows}
    assert len(figures) == 13

    def gain(task: str, model: str, training: str) -> float:
        before, after = figures[model, "none"], figures[model, training]
        return after.of_task(task)[-1] - before.of_task(task)[-1]

    small = ("Qwen3-1.7B", "Qwen3-4B", "Qwen3-8B")
    for task, told in zip(TASKS, (8.67, 4.29, 11.57), strict=True):
        assert sum(gain(task, model, "SFT") for model in small) / 3 == pytest.approx(told, abs=0.01)
    for task, told in zip(TASKS, (13.00, 6.62, 12.50), strict=True):
        assert gain(task, "Qwen3-8B", "SFT + RL") == pytest.approx(told, abs=0.005)


def test_a_run_stands_beside_the_published_figures_and_is_told_from_them(tmp_path: Path) -> None:
    write_log(
        tmp_path,
        {"a": [{"reward": 1.0}], "b": [{"reward": 0.0}], "c": [{"reward": 1.0}, None]},
        task="envscaler_eval/tau_bench",
        task_args={"protocol": "official"},
        sample_metadata={
            "*": {"split": "test", "task": 1},
            "a": {"domain": "retail"},
            "b": {"domain": "retail"},
            "c": {"domain": "airline"},
        },
    )
    (table,) = published_tables([read_results([tmp_path])])
    assert table.headers == ("model", "training", "figures", "retail", "airline", "mean")
    assert table.rows[0][0] == "acme/one"
    assert table.rows[0][2:] == ("this run, 3 episodes missing", "50.00", "100.00", "75.00")
    assert {row[2] for row in table.rows[1:]} == {"published"}
    assert ("Qwen3-8B", "SFT + RL", "published", "53.62", "36.00", "44.81") in table.rows
    assert "arXiv 2601.05808" in table.note and "not run again here" in table.note
    assert "by protocol=official, the paper's by protocol=paper" in table.note


def test_a_part_that_was_not_run_leaves_the_mean_open(tmp_path: Path) -> None:
    write_log(
        tmp_path,
        {"a": [{"reward": 1.0}]},
        task="envscaler_eval/tau_bench",
        task_args={"protocol": "paper"},
        sample_metadata={"*": {"split": "test", "task": 1, "domain": "retail"}},
    )
    (table,) = published_tables([read_results([tmp_path])])
    assert table.rows[0][3:] == ("100.00", "-", "-")
    assert "differ" not in table.note


def test_tasks_without_published_figures_are_refused(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [1.0]})
    with pytest.raises(UsageError, match="there are of bfcl_multi_turn, tau_bench, acebench_agent"):
        published_tables([read_results([tmp_path])])
