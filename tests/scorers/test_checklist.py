"""The checklist scorer, live and on saved logs."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score as score_log
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

from envscaler_eval.errors import UsageError
from envscaler_eval.scorers import checklist
from tests.inspect_runs import ORDER, TAKE, call, facts, model, only, run, say, score
from tests.pack_files import CHECKS, SOURCE, a_scenario, write_pack, write_scenarios

DONE = say("Task Completed")
NUT = call("take_item", item_id="I-2", quantity=1)


def _played(pack: Path, log_dir: Path, *turns: Any, **args: Any) -> EvalLog:
    """Run, and return the log as it was saved."""
    log = run(pack, model(*turns, DONE), log_dir, **args)
    assert log.status == "success", log.error
    return read_eval_log(log.location)


def _again(log: EvalLog) -> EvalLog:
    return score_log(log, checklist(), action="overwrite", display="none")


def test_each_check_and_the_implicit_guard_are_explained(pack_folder: Path, tmp_path: Path) -> None:
    sample = only(_played(pack_folder, tmp_path, say("", TAKE, NUT)))
    assert sample.scores is not None
    assert (sample.scores["checklist"].explanation or "").splitlines() == [
        "pass  goal: three bolts were taken",
        "FAIL  goal: nuts were ordered",
        "FAIL  guard: no nut was taken",
        "FAIL  guard: nothing else changed [/items/I-2/quantity]",
    ]
    assert facts(sample)["collateral"] == ["/items/I-2/quantity"]
    assert facts(sample)["checks"][2] == {
        "about": "no nut was taken",
        "kind": "guard",
        "passed": False,
    }
    assert score(sample)["reward"] == pytest.approx(1 / 2 * 1 / 3)


def test_a_broken_check_is_shown(tmp_path: Path) -> None:
    broken = {"about": "odd", "kind": "goal", "code": "def check(a, b):\n    return 1\n"}
    pack = write_pack(tmp_path, scenarios=[a_scenario(checks=[*CHECKS, broken])])
    sample = only(_played(pack, tmp_path, say("", TAKE, ORDER)))
    assert facts(sample)["broken_checks"] == 1
    assert facts(sample)["checks"][3]["broken"] == "returned int; return a bool"
    assert sample.scores is not None
    assert "[broken: returned int" in (sample.scores["checklist"].explanation or "")


def test_a_scenario_without_checks_is_left_unscored(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, scenarios=[a_scenario(checks=[])])
    log = _played(pack, tmp_path, say("", TAKE))
    sample = only(log)
    assert sample.scores is not None
    value = sample.scores["checklist"].value
    assert isinstance(value, float)
    assert math.isnan(value)


def test_every_score_has_a_mean_and_an_error_clustered_by_environment(tmp_path: Path) -> None:
    packs = [write_pack(tmp_path, name) for name in ("alpha", "beta")]
    log = run(",".join(map(str, packs)), "policy/oracle", tmp_path)
    assert log.results is not None
    metrics = {result.name: result.metrics for result in log.results.scores}
    assert set(metrics) == {"reward", "success", "paper_reward"}
    for named in metrics.values():
        assert set(named) == {"mean", "stderr"}
        assert named["mean"].value == 1
        assert named["stderr"].params == {"cluster": "env"}


def test_a_saved_log_is_played_again_to_the_same_numbers(pack_folder: Path, tmp_path: Path) -> None:
    turns = say("", TAKE, NUT), say("", call("steal_item")), say("", call("break_down"))
    log = _played(pack_folder, tmp_path, *turns)
    before = only(log)
    again = only(_again(log))
    assert score(again) == score(before)
    assert facts(again) == facts(before)


@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_the_protocol_of_the_log_holds_when_it_is_played_again(
    protocol: str, pack_folder: Path, tmp_path: Path
) -> None:
    turns = say("", TAKE), say("", call("take_item", item_id="I-1"))
    log = _played(pack_folder, tmp_path, *turns, protocol=protocol)
    assert score(only(_again(log))) == score(only(log))
    assert facts(only(_again(log))) == facts(only(log))


def test_arguments_that_are_no_json_are_played_again_alike(
    pack_folder: Path, tmp_path: Path
) -> None:
    odd = call("order_item", item_id="I-1", priority=float("nan"))
    huge = call("take_item", item_id="I-1", quantity=10**30)
    log = _played(pack_folder, tmp_path, say("", odd, huge, TAKE))
    assert score(only(_again(log))) == score(only(log))


def test_the_policies_logs_are_played_again_alike(pack_folder: Path, tmp_path: Path) -> None:
    for policy in ("oracle", "random"):
        log = run(pack_folder, f"policy/{policy}", tmp_path, "policy/user", mode="both", seed=5)
        saved = read_eval_log(log.location)
        assert saved.samples is not None
        again = _again(saved).samples
        assert again is not None
        assert [score(sample) for sample in again] == [score(sample) for sample in saved.samples]


def test_a_better_scorer_may_grade_an_old_log(pack_folder: Path, tmp_path: Path) -> None:
    log = _played(pack_folder, tmp_path, say("", TAKE))
    assert log.samples is not None
    log.samples[0].scores = None
    location = str(tmp_path / "stripped.eval")
    write_eval_log(log, location)
    assert score(only(_again(read_eval_log(location))))["reward"] == pytest.approx(1 / 2)


def _refusal(log: EvalLog) -> str:
    with pytest.raises(UsageError) as refusal:
        _again(log)
    message = str(refusal.value)
    assert "\n" not in message
    return message


def test_a_changed_pack_is_refused_with_its_name_and_both_hashes(
    pack_folder: Path, tmp_path: Path
) -> None:
    log = _played(pack_folder, tmp_path, say("", TAKE))
    old = only(log).metadata["pack_hash"]
    write_scenarios(pack_folder, [a_scenario(checks=CHECKS[:2])])
    from envscaler_eval.pack import read_pack

    message = _refusal(log)
    assert "pack 'stock_room' is not the one that the log was made with" in message
    assert old[:12] in message
    assert read_pack(pack_folder).hash[:12] in message


def test_an_end_state_that_differs_is_refused(pack_folder: Path, tmp_path: Path) -> None:
    log = _played(pack_folder, tmp_path, say("", TAKE))
    assert log.samples is not None
    record = log.samples[0].store["envscaler_eval"]
    record["calls"][0]["arguments"]["quantity"] = 4
    message = _refusal(log)
    assert "stock_room/restock:non_conv: playing the log's calls again ends in state" in message
    assert record["state_hash"][:12] in message


def test_a_sample_whose_episode_broke_off_stays_unscored(pack_folder: Path, tmp_path: Path) -> None:
    log = _played(pack_folder, tmp_path, say("", TAKE))
    assert log.samples is not None
    log.samples[0].store.clear()
    again = score_log(log, checklist(), action="overwrite", display="none")
    assert again.samples is not None and again.samples[0].scores is not None
    told = again.samples[0].scores["checklist"]
    assert told.reason == "the episode ended in an error"
    assert again.results is not None and again.results.scores[0].scored_samples == 0


def test_a_pack_that_is_gone_is_refused(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    log = _played(pack, tmp_path, say("", TAKE))
    (pack / "pack.yaml").unlink()
    assert "there is no environment" in _refusal(log)


def test_the_log_keeps_calls_and_a_hash_and_no_state(pack_folder: Path, tmp_path: Path) -> None:
    log = _played(pack_folder, tmp_path, say("", TAKE))
    record = only(log).store["envscaler_eval"]
    assert record["calls"] == [
        {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": 3}}
    ]
    assert len(record["state_hash"]) == 64
    assert "next_order" not in json.dumps(only(log).store)


def test_a_source_that_goes_differently_here_is_told_apart_from_a_changed_one(
    tmp_path: Path,
) -> None:
    pack = write_pack(tmp_path)
    log = _played(pack, tmp_path, say("", TAKE))
    (pack / "environment.py").write_text(SOURCE.replace("-= quantity", "-= 1"), encoding="utf-8")
    assert "is not the one that the log was made with" in _refusal(log)
