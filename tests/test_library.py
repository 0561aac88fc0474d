"""Every scenario that ships: what solves it, and what does not."""

from functools import lru_cache
from pathlib import Path

import pytest

from envscaler_eval.difficulty import difficulty
from envscaler_eval.episode import Episode, Grade
from envscaler_eval.pack import Pack, find_packs, read_pack
from envscaler_eval.policies import Policy, noop, oracle, play, scripted_user
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario
from envscaler_eval.state import state_hash
from tests.conversations import converse

SYNTHESISED = {
    "allotment_garden_office",
    "island_ferry_freight_desk",
    "museum_network_loans_desk",
    "sample_repository",
    "street_market_office",
}
"""Made by the synthesis from the sessions in `envscaler_eval/synth/recorded`."""

FOLDERS = find_packs()
by_pack = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@lru_cache
def _opened(folder: Path) -> tuple[Pack, InProcessRuntime]:
    pack = read_pack(folder)
    return pack, InProcessRuntime(pack.environment)


def _grade(scenario: Scenario, runtime: InProcessRuntime, policy: Policy) -> Grade:
    with Episode(scenario, runtime) as episode:
        play(policy, episode, max_steps=60)
        return episode.grade()


@by_pack
def test_the_oracle_succeeds_without_a_user(folder: Path) -> None:
    pack, runtime = _opened(folder)
    for scenario in pack.scenarios:
        grade = _grade(scenario, runtime, oracle(scenario, "non_conv"))
        assert (grade.reward, grade.success, grade.paper_reward) == (1, True, 1), scenario.name
        assert not grade.broken


@by_pack
def test_the_oracle_succeeds_in_conversation_and_ends_with_the_user(folder: Path) -> None:
    pack, runtime = _opened(folder)
    for scenario in pack.scenarios:
        with Episode(scenario, runtime) as episode:
            talk = converse(oracle(scenario, "conv"), scripted_user(scenario), episode)
            grade = episode.grade()
        assert talk.stopped, scenario.name
        assert (grade.reward, grade.success) == (1, True), scenario.name
        assert sorted(" ".join(talk.user).split()) == sorted(scenario.task.split())


@by_pack
def test_doing_nothing_earns_exactly_nothing(folder: Path) -> None:
    pack, runtime = _opened(folder)
    for scenario in pack.scenarios:
        grade = _grade(scenario, runtime, noop())
        assert (grade.reward, grade.success) == (0, False), scenario.name


@by_pack
def test_alternatives_deserve_the_full_reward(folder: Path) -> None:
    pack, runtime = _opened(folder)
    for scenario in pack.scenarios:
        for calls in scenario.alternatives:
            with Episode(scenario, runtime) as episode:
                for call in calls:
                    episode.call(call.name, call.arguments)
                assert episode.grade().success, scenario.name


@by_pack
def test_every_rule_is_enforced_by_a_refusal(folder: Path) -> None:
    pack, runtime = _opened(folder)
    for number, rejection in enumerate(pack.rejections, start=1):
        session = runtime.start(rejection.state, rejection.now, f"rejection {number}")
        *before, last = rejection.calls
        for call in before:
            outcome = session.call(call.name, call.arguments)
            assert outcome.status == "ok", f"{number}: {outcome.observation}"
        state = state_hash(session.state())
        assert session.call(last.name, last.arguments).status == "failed", number
        assert state_hash(session.state()) == state, number
    if pack.rejections:
        covered = {rejection.rule for rejection in pack.rejections}
        assert covered == set(range(1, len(pack.info.rules) + 1))


@by_pack
def test_a_pack_has_the_size_and_the_marks_of_one(folder: Path) -> None:
    pack, _ = _opened(folder)
    by_hand = folder.name not in SYNTHESISED
    assert len(pack.environment.tools) >= (14 if by_hand else 8)
    assert len(pack.info.rules) >= 4
    assert len(pack.scenarios) >= (10 if by_hand else 4)
    assert pack.info.canary.startswith(f"envscaler-eval:{pack.info.id}:")
    for scenario in pack.scenarios:
        easy = difficulty(scenario.solution) == "easy"
        fewest_words = 25 if not by_hand else 30 if easy else 40
        assert fewest_words <= len(scenario.task.split()) <= 150, scenario.name
        assert 3 <= len(scenario.solution) <= 26, scenario.name
        assert (4 if by_hand and not easy else 2) <= len(scenario.checks) <= 12, scenario.name


def test_no_two_packs_share_a_canary_or_a_title() -> None:
    infos = [_opened(folder)[0].info for folder in FOLDERS]
    assert len({info.canary for info in infos}) == len(infos)
    assert len({info.title for info in infos}) == len(infos)
