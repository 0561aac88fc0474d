"""The task over HTTP, through Inspect's own providers."""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from tenacity import wait_fixed

from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.scorers import checklist
from envscaler_eval.solvers.model_faults import MODEL_FAULTS
from tests.inspect_runs import facts, only, run, score
from tests.pack_files import a_scenario, write_pack
from tests.serving.served import generations, remote, sent, serving

TASK = "Take three bolts out. Then order nuts. It is urgent."


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Inspect try again at once."""
    monkeypatch.setattr(OpenAICompatibleAPI, "retry_wait", lambda self: wait_fixed(0.01))


@pytest.mark.parametrize(("mode", "seed"), [("non_conv", 0), ("conv", 1)])
def test_over_http_the_oracle_plays_the_library_s_solutions_to_the_full_reward(
    mode: str, seed: int, tmp_path: Path
) -> None:
    library = find_packs()
    solutions = {s.name: s.solution for folder in library for s in read_pack(folder).scenarios}
    envs = ",".join(folder.name for folder in library)
    with serving("oracle", library) as oracle, serving("scripted", library) as user:
        model = remote(oracle)
        log = run(envs, model, tmp_path, remote(user), mode=mode, scenarios_per_env=1, seed=seed)
    assert len(log.samples or []) == len(library)
    for sample in log.samples or []:
        assert score(sample) == {"reward": 1, "success": 1, "paper_reward": 1}
        made = [(call["name"], call["arguments"]) for call in _record(sample)["calls"]]
        solution = solutions[str(sample.id).partition(":")[0]]
        assert made == [(call.name, dict(call.arguments)) for call in solution]


def _record(sample: EvalSample) -> dict[str, Any]:
    record = sample.store["envscaler_eval"]
    assert isinstance(record, dict)
    return record


@pytest.mark.parametrize("name", ["openai/gpt-4.1", "openai-api/served/model"])
def test_either_provider_and_either_transfer_gives_the_full_reward(
    name: str, tmp_path: Path
) -> None:
    pack = write_pack(tmp_path)
    stream = "streaming" if name.startswith("openai/") else "stream"
    with serving("oracle", [pack]) as url, serving("scripted", [pack]) as user:
        for arguments in ({}, {stream: True}):
            model = remote(url, name, **arguments)
            log = run(pack, model, tmp_path, remote(user, name), mode="both")
            assert [score(sample)["reward"] for sample in log.samples or []] == [1, 1]


def test_a_model_without_tool_calling_works_through_emulation(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    with serving("oracle", [pack]) as url, serving("scripted", [pack]) as user:
        model = remote(url, emulate_tools=True)
        log = run(pack, model, tmp_path, remote(user), mode="both")
    for sample in log.samples or []:
        assert score(sample)["reward"] == 1
        first = generations(sample)[0]
        assert first.call is not None
        assert not first.call.request.get("tools")
        answered = sent(generations(sample)[2])
        assert "<tool_call>" in str(answered)
        assert not any(message["role"] == "tool" for message in answered)


def test_the_served_user_thinks_aloud_under_the_paper_s_protocol(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    with serving("oracle", [pack]) as url, serving("scripted", [pack]) as user:
        sample = only(run(pack, remote(url), tmp_path, remote(user), mode="conv", protocol="paper"))
    assert (score(sample)["reward"], facts(sample)["ended_by"]) == (1, "user_stop")
    turns = _record(sample)["user"]["turns"]
    assert all(turn["thought"] for turn in turns)
    assert not any("Thought" in message.text for message in sample.messages)


def test_random_and_noop_play_over_http(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    with serving("random", [pack]) as url:
        one, other = (only(run(pack, remote(url), tmp_path, step_limit=9)) for _ in range(2))
    assert facts(one)["calls"] == 9
    assert _record(one) == _record(other)
    with serving("noop", [pack]) as url:
        assert facts(only(run(pack, remote(url), tmp_path)))["steps"] == 1


@pytest.mark.parametrize(
    ("protocol", "asked_for", "shown"),
    [
        ("default", "all", [0, 1, 2, 3]),
        ("default", "last", [0, 1, 1, 1]),
        ("default", "none", [0, 0, 0, 0]),
        ("paper", None, [0, 1, 2, 3]),
    ],
)
def test_earlier_reasoning_is_shown_again_as_asked(
    protocol: str, asked_for: str | None, shown: list[int], tmp_path: Path
) -> None:
    pack = write_pack(tmp_path)
    with serving("oracle", [pack], "reasoning=1") as url:
        log = run(pack, remote(url), tmp_path, protocol=protocol, reasoning_history=asked_for)
    sample = only(log)
    assert score(sample)["reward"] == 1
    assert [
        sum("reasoning_content" in message for message in sent(event))
        for event in generations(sample)
    ] == shown


@pytest.mark.parametrize("fault", ["429", "500", "dropped"])
def test_what_persists_makes_the_sample_missing_and_not_zero(
    fault: str, hasty: None, tmp_path: Path
) -> None:
    scenarios = [a_scenario(id=f"s{n}", task=f"Shelf {n}. {TASK}") for n in range(4)]
    pack = write_pack(tmp_path, scenarios=scenarios)
    with serving("oracle", [pack], f"{fault}=0.3", seed=3) as url:
        log = run(
            pack,
            remote(url, max_retries=0),
            tmp_path,
            eval_max_retries=0,
            eval_fail_on_error=False,
        )
    assert log.status == "success"
    missing = [sample for sample in log.samples or [] if sample.error]
    scored = [sample for sample in log.samples or [] if not sample.error]
    assert missing
    assert scored
    assert not any(sample.scores for sample in missing)
    assert {score(sample)["reward"] for sample in scored} == {1}
    assert log.results is not None
    assert log.results.scores[0].metrics["mean"].value == 1


def test_inspect_tries_again_where_the_client_gives_up(hasty: None, tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    with serving("oracle", [pack], "429", "500") as url:
        sample = only(run(pack, remote(url, max_retries=0), tmp_path))
    assert score(sample)["reward"] == 1
    assert [bool(event.error) for event in generations(sample)] == [True] * 2 + [False] * 4


def test_a_sample_without_a_reply_stops_no_other_where_inspect_is_told_so(tmp_path: Path) -> None:
    known = a_scenario(id="known")
    served = write_pack(tmp_path / "served", scenarios=[known])
    unknown = a_scenario(id="unknown", task="Count the shelves.", now="2026-05-01T08:00:00")
    played = write_pack(tmp_path / "played", scenarios=[unknown, known])
    text = (played / "pack.yaml").read_text(encoding="utf-8")
    (played / "pack.yaml").write_text(
        text.replace("Keeps small parts.", "Keeps big parts."), encoding="utf-8"
    )
    with serving("oracle", [served]) as url:
        log = run(played, remote(url), tmp_path, eval_max_samples=1, eval_continue_on_fail=True)
    assert log.status == "error"
    won, lost = sorted(log.samples or [], key=lambda sample: str(sample.id))
    assert lost.error is not None
    assert "name its pack with --env" in lost.error.message
    assert score(won)["reward"] == 1


SHELVES = 40


@pytest.fixture(scope="module")
def faulty_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[EvalLog, Counter[str]]:
    """A run in which each fault has a rate of 5%, and the faults that the server had."""
    folder = tmp_path_factory.mktemp("faulty")
    scenarios = [a_scenario(id=f"s{n}", task=f"Shelf {n}. {TASK}") for n in range(SHELVES)]
    pack = write_pack(folder, scenarios=scenarios)
    faults = (*MODEL_FAULTS_SERVED, "429", "500")
    with serving("oracle", [pack], *(f"{fault}=0.05" for fault in faults)) as url:
        log = run(pack, remote(url, max_retries=20), folder, eval_max_connections=SHELVES)
        with urlopen(url.removesuffix("/v1") + "/faults") as answer:
            return log, Counter(json.load(answer))


MODEL_FAULTS_SERVED = (*MODEL_FAULTS, "stray_quotes", "reasoning")


def test_a_run_with_all_faults_counts_as_many_as_there_were(
    faulty_run: tuple[EvalLog, Counter[str]],
) -> None:
    log, served = faulty_run
    assert log.status == "success"
    assert len(log.samples or []) == SHELVES
    assert set(served) == {*MODEL_FAULTS_SERVED, "429", "500"}
    assert _counted(log.samples or []) == {kind: served[kind] for kind in MODEL_FAULTS}
    retried = sum(e.retries or 0 for sample in log.samples or [] for e in generations(sample))
    assert retried == served["429"] + served["500"]


def test_an_episode_with_faults_ends_by_a_name_and_is_lost_by_few_of_them(
    faulty_run: tuple[EvalLog, Counter[str]],
) -> None:
    log, _ = faulty_run
    for sample in log.samples or []:
        ended_by = facts(sample)["ended_by"]
        assert ended_by in {"completed", "refusal", "token_limit"}
        assert (score(sample)["success"] == 1) >= (ended_by == "completed")


def test_scoring_again_keeps_the_counts(faulty_run: tuple[EvalLog, Counter[str]]) -> None:
    log, _ = faulty_run
    again = inspect_score(
        log, checklist(), action="overwrite", display="none", model="mockllm/model"
    )
    assert _counted(again.samples or []) == _counted(log.samples or [])
    assert [facts(s) for s in again.samples or []] == [facts(s) for s in log.samples or []]


def _counted(samples: list[EvalSample]) -> Counter[str]:
    total: Counter[str] = Counter()
    for sample in samples:
        total.update(facts(sample)["model_faults"])
    return total
