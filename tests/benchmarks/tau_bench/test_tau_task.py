"""The task, its dataset and its scorer, on the miniature; and on the real data."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from actors import CANCEL, TOLD, call, facts, run, samples, says, scorer, value
from inspect_ai import score
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig

from envscaler_eval.benchmarks.tau_bench import NOOP_FLOOR, data, load, noop_script
from envscaler_eval.benchmarks.tau_bench.faults import FAULTS, faults
from envscaler_eval.benchmarks.tau_bench.grading import grade_trial
from envscaler_eval.errors import UsageError
from envscaler_eval.results import read_results
from envscaler_eval.tasks import tau_bench
from envscaler_eval.tasks.tau_bench_dataset import task_to_sample


@pytest.fixture
def log(tmp_path: Path, miniature_data: str) -> EvalLog:
    """A trial that earned 1, as saved."""
    ran = run(tmp_path, says([CANCEL], TOLD), says("Hello", "###STOP###"))
    return read_eval_log(ran.location)


def test_a_log_is_read_by_task_and_domain(log: EvalLog) -> None:
    table = read_results([log.location])
    (row,) = table.rows
    assert (row.cluster, row.group) == (row.sample, row.sample.partition("/")[0])
    assert row.scores["reward"] == 1 and row.ended_by == "user_stop" and row.steps
    assert table.logs[0].data and table.logs[0].primary == "reward"


def test_samples_have_stable_names_and_no_answers(miniature_data: str) -> None:
    domain = load("retail")
    sample = task_to_sample(domain, "test", domain.task("test", 0))
    assert sample.id == "retail/test/0"
    assert sample.input == domain.task("test", 0).instruction
    assert not sample.target
    assert "cancel_pending_order" not in json.dumps(sample.metadata)
    assert sample.metadata is not None
    assert sample.metadata["data_sha256"] == data.fingerprint("retail")


def test_what_the_model_is_told_holds_no_answers(tmp_path: Path, miniature_data: str) -> None:
    (sample,) = samples(run(tmp_path, says("No."), says("Hello", "###STOP###")))
    told = "".join(message.text for message in sample.messages)
    assert not any(secret in told for secret in ("40.1", "Kite", "#W1", "no longer needed"))


def test_the_log_keeps_calls_and_replies_and_no_database(log: EvalLog) -> None:
    (sample,) = samples(log)
    (record,) = sample.store.values()
    assert record["calls"] == [{"name": CANCEL.function, "arguments": CANCEL.arguments}]
    assert record["replies"] == [TOLD]
    assert "payment_methods" not in json.dumps(sample.store)


def test_the_task_says_what_data_it_ran_on(log: EvalLog) -> None:
    metadata = log.eval.metadata or {}
    assert metadata["data"] == {"tau_bench/retail": data.fingerprint("retail")}
    assert metadata["upstream_commit"] == data.COMMIT
    assert metadata["noop_floor"] == {"retail": list(NOOP_FLOOR["retail/test"])}


def test_a_saved_log_is_graded_again_alike(log: EvalLog) -> None:
    again = score(log, scorer(), action="overwrite", display="none")
    assert (
        value(samples(again)[0])
        == value(samples(log)[0])
        == dict.fromkeys(("reward", "data_match", "outputs"), 1.0)
    )
    assert facts(samples(again)[0]) == facts(samples(log)[0])


def edited(log: EvalLog, key: str, content: Any) -> EvalLog:
    samples(log)[0].store["envscaler_eval"][key] = content
    return log


def test_calls_that_lead_elsewhere_are_refused(log: EvalLog) -> None:
    with pytest.raises(UsageError, match="retail/test/0: playing the log's calls again ends in"):
        score(edited(log, "calls", []), scorer(), action="overwrite", display="none")


def test_other_data_is_refused(log: EvalLog) -> None:
    samples(log)[0].metadata["data_sha256"] = "0" * 64
    with pytest.raises(UsageError, match="data of retail is not what the log was made with"):
        score(log, scorer(), action="overwrite", display="none")


def test_a_log_without_a_trial_is_refused(log: EvalLog) -> None:
    samples(log)[0].store.clear()
    with pytest.raises(UsageError, match="holds no trial"):
        score(log, scorer(), action="overwrite", display="none")


def test_numbers_keep_their_type_in_the_log(tmp_path: Path, miniature_data: str) -> None:
    amounts = [250, 250.0, True]
    agent = says(*[[call("send_certificate", user_id="di_4", amount=a)] for a in amounts], "Sent.")
    ran = run(tmp_path, agent, says("Hello", "###STOP###"), domain="airline")
    saved = read_eval_log(ran.location)
    made = samples(saved)[0].store["envscaler_eval"]["calls"]
    assert [repr(entry["arguments"]["amount"]) for entry in made] == ["250", "250.0", "True"]
    score(saved, scorer(), action="overwrite", display="none")


def test_pass_k_is_reported_for_each_k(tmp_path: Path, miniature_data: str) -> None:
    ran = run(tmp_path, "policy/noop", "policy/user", domain="both", task=None, trials=3)
    assert ran.eval.config.epochs_reducer == ["mean", "pass_k_2", "pass_k_3"]
    assert ran.results is not None
    macros = {
        part.reducer: next(
            metric.value for name, metric in part.metrics.items() if name.endswith("macro")
        )
        for part in ran.results.scores
        if part.name == "reward"
    }
    # Retail earns 1 of 2 and airline 0 of 1.
    assert macros == {"mean": 0.25, "pass_k_2": 0.25, "pass_k_3": 0.25}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"domain": "telecom"}, "domain is 'telecom'; use one of retail, airline, both"),
        ({"split": "train"}, "no split 'train'; choose from test"),
        ({"task_ids": "0,7"}, "no task 7; indices run from 0 to"),
        ({"task_ids": "first"}, "task_ids is 'first'; use indices such as"),
        ({"protocol": "mine"}, "protocol is 'mine'; use one of official, paper"),
        ({"user_strategy": "human"}, "user_strategy is 'human'; use one of llm, react"),
        ({"trials": 0}, "trials is 0; use 1 or more"),
        ({"data_dir": "/nowhere"}, "/nowhere/tau_bench: no Tau-Bench data; run"),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line(
    parameters: dict[str, Any], message: str, miniature_data: str
) -> None:
    with pytest.raises(UsageError, match=message) as fault:
        tau_bench(**parameters)
    assert "\n" not in str(fault.value)


def test_the_floor_is_what_doing_nothing_earns(data_dir: Path) -> None:
    for place, (passed, total) in NOOP_FLOOR.items():
        domain, split = place.split("/")
        known = load(domain, data_dir)
        free = [
            task.index
            for task in known.split(split)
            if grade_trial(known, task, (), [noop_script().reply]).reward == 1.0
        ]
        assert (len(free), len(known.split(split))) == (passed, total)
        tagged = [
            task.index
            for task in known.split(split)
            if "passes_without_work" in faults(domain, split, task.index)
        ]
        assert tagged == (free if split == "test" else [])


def test_all_tags_of_faults_are_explained(data_dir: Path) -> None:
    tags = {
        tag
        for domain, count in (("retail", 115), ("airline", 50))
        for index in range(count)
        for tag in faults(domain, "test", index)
    }
    assert tags == set(FAULTS)


@pytest.mark.parametrize("policy", ["oracle", "noop"])
def test_policies_earn_what_they_should_on_real_tasks(
    policy: str, data_dir: Path, tmp_path: Path
) -> None:
    ran = run(
        tmp_path,
        f"policy/{policy}",
        "policy/user",
        domain="both",
        task=[0, 2, 12, 15],
        data_dir=str(data_dir),
    )
    assert len(samples(ran)) == 8
    for sample in samples(ran):
        free = "passes_without_work" in sample.metadata["faults"]
        assert value(sample)["reward"] == float(policy == "oracle" or free), sample.id


def test_the_papers_settings_are_a_run_configuration(miniature_data: str) -> None:
    path = Path(__file__).parents[3] / "paper_config" / "tau_bench.yaml"
    settings = yaml.safe_load(path.read_text("utf-8"))
    assert settings["task"]["task"] == "envscaler_eval/tau_bench"
    task = tau_bench(**settings["task"]["args"])
    assert task.epochs == 3
    assert task.metadata is not None
    assert task.metadata["user_strategy"] == "react_fixed"
    agent = GenerateConfig.model_validate(settings["generate_config"])
    user = settings["model_roles"]["user"]
    assert (agent.temperature, user["config"]["temperature"]) == (0.7, 0.7)
    assert user["model"] == "openai/gpt-4.1-2025-04-14"
