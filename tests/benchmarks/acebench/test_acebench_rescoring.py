"""Saved logs are scored anew by holding their dialogues again, or refused."""

from pathlib import Path
from typing import Any

import pytest
from acebench_runs import about, metrics, run, samples, value
from inspect_ai import score
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import SampleScore, Score

from envscaler_eval.benchmarks.acebench import data
from envscaler_eval.errors import UsageError
from envscaler_eval.scorers import acebench
from envscaler_eval.scorers.macro import macro, macro_stderr

STORED = "envscaler_eval_acebench"


@pytest.fixture
def saved(miniature_dir: str, tmp_path: Path) -> EvalLog:
    log = run(miniature_dir, tmp_path, model="policy/oracle", language="both")
    return read_eval_log(log.location)


def again(log: EvalLog, data_dir: str) -> EvalLog:
    return score(log, acebench(data_dir=data_dir), action="overwrite", display="none")


@pytest.mark.parametrize("protocol", ["official", "paper"])
@pytest.mark.parametrize("model", ["policy/oracle", "policy/noop"])
def test_scores_come_out_the_same(
    protocol: Any, model: str, miniature_dir: str, tmp_path: Path
) -> None:
    log = run(miniature_dir, tmp_path, model=model, protocol=protocol)
    first = read_eval_log(log.location)
    second = again(first, miniature_dir)
    for key in ("end_to_end", "process"):
        assert metrics(second, key) == metrics(first, key)
        for name, sample in samples(second).items():
            assert value(sample, key) == value(samples(first)[name], key)
            assert about(sample) == about(samples(first)[name])


def test_other_data_is_refused(
    saved: EvalLog, miniature_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "manifest", lambda: {})
    with pytest.raises(UsageError, match="made with other data"):
        again(saved, miniature_dir)


def test_another_end_state_is_refused(saved: EvalLog, miniature_dir: str) -> None:
    said = samples(saved)["en/agent_multi_step_0"].store[STORED]["said"]
    del said[0]
    with pytest.raises(UsageError, match=r"en/agent_multi_step_0: the log's dialogue ends in"):
        again(saved, miniature_dir)


def test_a_log_without_dialogues_is_refused(saved: EvalLog, miniature_dir: str) -> None:
    for sample in saved.samples or []:
        sample.store.clear()
    with pytest.raises(UsageError, match="holds no dialogue"):
        again(saved, miniature_dir)


def sample_score(mark: float, subset: str, task: str) -> SampleScore:
    metadata = {"subset": subset, "task": task}
    return SampleScore(score=Score(value=mark), sample_metadata=metadata)


def test_the_macro_mean_weighs_subsets_alike() -> None:
    scores = [sample_score(mark, "a", f"a{n}") for n, mark in enumerate([1, 1, 0, 0])]
    scores += [sample_score(1, "b", "b0"), sample_score(1, "b", "b1")]
    compute: Any = macro("subset")
    assert compute(scores) == 0.75


def test_runs_of_a_task_in_two_languages_are_one_cluster() -> None:
    marks = [1, 1, 0, 0]
    once = [sample_score(mark, "a", f"a{n}") for n, mark in enumerate(marks)]
    compute: Any = macro_stderr("subset", cluster="task")
    # Two runs of each task that agree tell no more than one does.
    assert compute(once * 2) == pytest.approx(compute(once))
    assert compute(once) == pytest.approx((0.25 / 3) ** 0.5)
    other = [sample_score(mark, "b", f"b{n}") for n, mark in enumerate(marks)]
    assert compute(once + other) == pytest.approx(compute(once) / 2**0.5)
