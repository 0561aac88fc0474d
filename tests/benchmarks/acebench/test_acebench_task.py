"""The task runs offline through Inspect, with a known ceiling and floor."""

from pathlib import Path
from typing import Any

import pytest
from acebench_runs import about, metrics, run, samples, value
from inspect_ai.log import EvalSample
from inspect_ai.log import read_eval_log as read

from envscaler_eval.benchmarks.acebench.data import data_hash
from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.tasks import acebench_agent

PROTOCOLS = ["official", "paper"]
IDS = [
    f"{language}/agent_{kind}_{number}"
    for language in ("en", "zh")
    for kind in ("multi_step", "multi_turn")
    for number in (0, 1)
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_oracle_solves_every_invented_task(
    protocol: Any, miniature_dir: str, tmp_path: Path
) -> None:
    log = run(miniature_dir, tmp_path, language="both", protocol=protocol)
    ended = samples(log)
    assert sorted(ended) == sorted(IDS)
    assert {value(sample, "end_to_end") for sample in ended.values()} == {1.0}
    assert {about(sample)["ended_by"] for sample in ended.values()} <= {"completed", "user_stop"}
    parts = {
        f"{language}_multi_{kind}": 1.0 for language in ("en", "zh") for kind in ("step", "turn")
    }
    means = dict.fromkeys(["macro", "mean", *parts, "en", "zh"], 1.0)
    assert metrics(log, "end_to_end") == {**means, "macro_stderr": 0.0, "stderr": 0.0}
    assert metrics(log, "process").keys() == metrics(log, "end_to_end").keys()


def test_a_log_is_read_by_task_whatever_the_language(miniature_dir: str, tmp_path: Path) -> None:
    run(miniature_dir, tmp_path, language="both")
    table = read_results([tmp_path])
    assert {row.cluster for row in table.rows} == {id.partition("/")[2] for id in IDS}
    assert {row.group for row in table.rows} == {"multi_step", "multi_turn"}
    assert {row.scores["end_to_end"] for row in table.rows} == {1}
    assert table.logs[0].data and table.logs[0].primary == "end_to_end"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_doing_nothing_earns_nothing(protocol: Any, miniature_dir: str, tmp_path: Path) -> None:
    log = run(miniature_dir, tmp_path, model="policy/noop", protocol=protocol)
    assert {value(sample, "end_to_end") for sample in samples(log).values()} == {0.0}
    assert {about(sample)["ended_by"] for sample in samples(log).values()} == (
        {"completed"} if protocol == "official" else {"completed", "user_stop"}
    )


# Upstream scores the end state in the paper's protocol even if nothing ran, and
# one task, in both languages, expects the state that it starts with.
@pytest.mark.parametrize(
    ("protocol", "model", "solved"),
    [
        ("official", "policy/oracle", 100),
        ("paper", "policy/oracle", 100),
        ("official", "policy/noop", 0),
        ("paper", "policy/noop", 2),
    ],
)
def test_ceiling_and_floor_of_the_real_tasks(
    protocol: Any, model: str, solved: int, real_dir: str, tmp_path: Path
) -> None:
    log = run(real_dir, tmp_path, model=model, language="both", protocol=protocol)
    right = [name for name, sample in samples(log).items() if value(sample, "end_to_end")]
    assert len(samples(log)) == 100
    assert len(right) == solved
    if solved == 2:
        assert sorted(right) == ["en/agent_multi_turn_7", "zh/agent_multi_turn_7"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_two_runs_in_one_process_are_identical(
    protocol: Any, miniature_dir: str, tmp_path: Path
) -> None:
    def held(sample: EvalSample) -> Any:
        told = [(message.role, message.text) for message in sample.messages]
        return sample.store, told, value(sample, "process"), about(sample)

    first, second = (
        {name: held(sample) for name, sample in samples(log).items()}
        for log in [run(miniature_dir, tmp_path, protocol=protocol) for _ in range(2)]
    )
    assert first == second


def test_trials_report_how_often_all_of_them_pass(miniature_dir: str, tmp_path: Path) -> None:
    log = run(miniature_dir, tmp_path, subset="multi_step", trials=2)
    assert log.results is not None
    reducers = {score.reducer for score in log.results.scores}
    assert reducers == {"mean", "pass_at_2", "pass_k_2"}
    assert len(log.samples or []) == 4


def test_the_log_names_the_data_and_the_faults_of_tasks(miniature_dir: str, tmp_path: Path) -> None:
    log = read(run(miniature_dir, tmp_path, subset="multi_step").location)
    assert log.eval.metadata is not None
    assert log.eval.metadata["data"] == {"acebench": data_hash()}
    assert log.eval.task_version == 1
    sample = samples(log)["en/agent_multi_step_1"]
    assert about(sample)["faults"] == sample.metadata["faults"] != []
    assert (sample.metadata["task"], sample.metadata["part"]) == (
        "agent_multi_step_1",
        "en_multi_step",
    )
    assert "mile_stone" not in sample.model_dump_json()


def test_a_conversation_needs_a_user_that_is_named(miniature_dir: str, tmp_path: Path) -> None:
    log = run(miniature_dir, tmp_path, user=None, subset="multi_turn")
    assert log.status == "error"
    assert log.error is not None
    assert "--model-role user=MODEL" in log.error.message
    assert samples(run(miniature_dir, tmp_path, user=None, subset="multi_step"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"subset": "all_of_it"}, "subset is 'all_of_it'; use one of multi_step, multi_turn, all"),
        ({"language": "fr"}, "language is 'fr'; use one of en, zh, both"),
        ({"protocol": "mine"}, "protocol is 'mine'; use one of official, paper"),
        ({"agent_language": "fr"}, "agent_language is 'fr'; use one of en, zh"),
        ({"trials": 0}, "trials is 0; use 1 or more"),
        ({"data_dir": "/nowhere"}, "/nowhere/acebench: no ACEBench data"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments: Any, message: str, miniature_dir: str) -> None:
    with pytest.raises(UsageError) as fault:
        acebench_agent(**{"data_dir": miniature_dir, **arguments})
    assert message in fault.value.message
    assert "\n" not in fault.value.message
