"""A conversation's scenario is told from its texts."""

from pathlib import Path

import pytest

from envscaler_eval.pack import Pack, find_packs, read_pack
from envscaler_eval.policies import pieces
from envscaler_eval.scenario import Scenario
from envscaler_eval.serving import Unrecognised
from envscaler_eval.serving.recognition import ScenarioIndex
from envscaler_eval.solvers.prompts import system_prompt, user_prompt
from envscaler_eval.solvers.protocol import PROTOCOLS, Mode, ProtocolName
from envscaler_eval.solvers.user_strategies import UserStrategy
from tests.pack_files import a_scenario, write_pack
from tests.serving.requests import conversation, prompt

LIBRARY = [read_pack(folder) for folder in find_packs()]
SCENARIOS = [(pack, scenario) for pack in LIBRARY for scenario in pack.scenarios]
INDEX = ScenarioIndex(LIBRARY)


def _prompt(pack: Pack, scenario: Scenario, mode: Mode, protocol: ProtocolName) -> str:
    return system_prompt(pack.environment, scenario.now, mode, PROTOCOLS[protocol])


@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_each_scenario_of_the_library_is_recognised_by_its_request(protocol: ProtocolName) -> None:
    for pack, scenario in SCENARIOS:
        said = conversation(
            ("system", _prompt(pack, scenario, "non_conv", protocol)), ("user", scenario.task)
        )
        found = INDEX.find(said)
        assert (found.scenario, found.whole) == (scenario, True)


@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_each_scenario_of_the_library_is_recognised_by_the_first_piece(
    protocol: ProtocolName,
) -> None:
    for pack, scenario in SCENARIOS:
        said = conversation(
            ("system", _prompt(pack, scenario, "conv", protocol)), ("user", pieces(scenario)[0])
        )
        found = INDEX.find(said)
        assert (found.scenario, found.whole) == (scenario, False)


@pytest.mark.parametrize("strategy", ["llm", "llm_react"])
def test_each_scenario_of_the_library_is_recognised_by_what_its_user_is_told(
    strategy: UserStrategy,
) -> None:
    for _, scenario in SCENARIOS:
        prompted = user_prompt(scenario, strategy)
        said = conversation(("system", prompted), ("user", "Hi!"), tools=None)
        assert INDEX.find(said).scenario == scenario


def test_the_prompt_of_another_harness_does_as_well() -> None:
    pack, scenario = SCENARIOS[-1]
    task = scenario.task.replace(" ", "\n  ")
    assert INDEX.find(conversation(("user", f"Your task:\n{task}\nGo!"))).scenario == scenario
    assert (
        INDEX.find(conversation(("developer", f"{pack.info.title}: {task}"))).scenario == scenario
    )


def test_a_user_s_own_words_do_where_environment_and_moment_are_told() -> None:
    pack, scenario = SCENARIOS[0]
    words = " ".join(sorted(scenario.task.split(), key=len)[-12:])
    said = conversation(("system", prompt(pack)), ("user", f"I need help: {words}"))
    assert INDEX.find(said).scenario == scenario


def test_a_conversation_keeps_its_scenario_whatever_is_said_later() -> None:
    (pack, one), (_, other) = SCENARIOS[:2]
    said = conversation(
        ("system", prompt(pack)), ("user", pieces(one)[0]), ("user", pieces(other)[0])
    )
    assert INDEX.find(said).scenario == one


def test_what_fits_no_scenario_is_refused_with_the_remedy() -> None:
    with pytest.raises(Unrecognised, match="name its pack with --env"):
        INDEX.find(conversation(("user", "What is the capital of France?")))


def _index(root: Path, *tasks: tuple[str, str]) -> tuple[Pack, ScenarioIndex]:
    scenarios = [
        a_scenario(id=f"s{number}", task=task, now=now) for number, (task, now) in enumerate(tasks)
    ]
    pack = read_pack(write_pack(root, scenarios=scenarios))
    return pack, ScenarioIndex([pack])


def test_of_requests_that_contain_each_other_the_longer_one_is_meant(tmp_path: Path) -> None:
    now = "2026-03-09T08:30:00"
    pack, index = _index(tmp_path, ("Take three bolts.", now), ("Take three bolts. Now.", now))
    found = index.find(conversation(("system", prompt(pack)), ("user", "Take three bolts. Now.")))
    assert found.scenario.id == "s1"


def test_one_request_at_two_moments_is_told_apart_by_the_moment(tmp_path: Path) -> None:
    moments = ("2026-03-09T08:30:00", "2026-04-01T12:00:00")
    pack, index = _index(tmp_path, *(("Take three bolts.", now) for now in moments))
    said = conversation(("system", prompt(pack, moments[1])), ("user", "Take three bolts."))
    assert index.find(said).scenario.id == "s1"


def test_one_request_of_two_scenarios_is_refused_with_their_names(tmp_path: Path) -> None:
    pack, index = _index(tmp_path, *[("Take three bolts.", "2026-03-09T08:30:00")] * 2)
    with pytest.raises(Unrecognised, match="fits 2 scenarios: stock_room/s0, stock_room/s1;"):
        index.find(conversation(("system", prompt(pack)), ("user", "Take three bolts.")))
