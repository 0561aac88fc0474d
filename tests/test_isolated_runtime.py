"""Isolated episodes go exactly as episodes in process."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.policies import RandomCalls, play
from envscaler_eval.policies.random_calls import CALLS
from envscaler_eval.runtime import InProcessRuntime, ObservationForm, Runtime
from envscaler_eval.runtime.isolated import IsolatedRuntime
from envscaler_eval.scenario import Check, Scenario, ToolCall

SOURCE = '''
import random
import secrets
import time
import uuid
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum


class Kind(Enum):
    OPEN = "open"


class Office:
    """Everything that could differ between two processes."""

    def __init__(self, init_config: dict):
        self.made = datetime.now().isoformat()
        self.tags = set()
        self.by_number = {}

    def issue(self, name: str, amount: float = 1.5) -> dict:
        """Issue a ticket."""
        number = len(self.by_number) + 1
        self.by_number[number] = {
            "id": str(uuid.uuid4()), "name": name, "amount": Decimal(str(amount)),
            "due": date.today() + timedelta(days=3), "kind": Kind.OPEN, "pair": (number, name),
        }
        self.tags.add(name)
        self.log.append(f"{time.time()} {random.random()} {secrets.token_hex(4)}")
        return {"success": True, "number": number, "tags": sorted(self.tags), "at": self.log[-1]}

    def wait(self, seconds: int) -> dict:
        """Wait."""
        time.sleep(seconds)
        return {"success": True, "now": datetime.now().isoformat(), "tags": sorted(self.tags)}

    def fail(self, how: str) -> dict:
        """Fail."""
        if how == "raise":
            raise KeyError("no such ticket\\nand more")
        if how == "refuse":
            return {"success": False, "error": "no \\u00e9"}
        if how == "surrogate":
            return {"success": True, "text": "\\ud800"}
        return self.missing
'''
OFFICE = Environment(
    id="office", title="", introduction="", rules=(), class_name="Office", source=SOURCE
)
CHECK_CODE = """
from datetime import datetime
import random
def check(initial, final):
    assert initial["log"] == [] and initial["tags"] == set()
    random.shuffle([1, 2, 3])
    return len(final["by_number"]) == 2 and final["by_number"][1]["pair"] == (1, "a") and (
        datetime.now().year == 2026)
"""
TOUCHED = "def check(initial, final):\n    final.clear()\n    return True\n"
NO_BOOL = "def check(initial, final):\n    return datetime\n"
SCENARIO = Scenario(
    id="two",
    env="office",
    state={"log": [], "limit": 3},
    now="2026-03-09T08:30:00",
    task="Issue two.",
    checks=tuple(
        Check(about=code[:10], kind="goal", code=code) for code in (CHECK_CODE, TOUCHED, NO_BOOL)
    ),
    solution=(
        ToolCall(name="issue", arguments={"name": "a"}),
        ToolCall(name="issue", arguments={"name": "b"}),
    ),
)
CALLS_MADE: list[tuple[str, dict[str, Any]]] = [
    ("issue", {"name": "a"}),
    ("wait", {"seconds": 90}),
    ("fail", {"how": "raise"}),
    ("fail", {"how": "refuse"}),
    ("fail", {"how": "surrogate"}),
    ("fail", {"how": "attribute"}),
    ("issue", {"name": 7}),
    ("nothing", {}),
    ("issue", {"name": "b", "amount": 2**70}),
]


def trace(runtime: Runtime, form: ObservationForm = "json", seed: int = 0) -> list[object]:
    """All that an episode shows."""
    with Episode(SCENARIO, runtime, seed, observations=form) as episode:
        seen: list[object] = [episode.call(name, arguments) for name, arguments in CALLS_MADE]
        seen += [call.status for call in episode.calls]
        return [*seen, episode.state(), episode.grade()]


@pytest.mark.parametrize("form", ["json", "python"])
@pytest.mark.parametrize("seed", [0, 1])
def test_observations_states_grades_and_hashes_are_those_of_an_episode_in_process(
    form: ObservationForm, seed: int
) -> None:
    isolated = trace(IsolatedRuntime(OFFICE), form, seed)
    in_process = trace(InProcessRuntime(OFFICE), form, seed)
    state = in_process[-2]
    assert isinstance(state, dict)
    # Named constants arrive as their values, which is how they are hashed.
    for ticket in state["by_number"].values():
        ticket["kind"] = ticket["kind"].value
    assert isolated == in_process


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_packs_of_the_library_go_the_same_way_isolated(folder: Path) -> None:
    pack = read_pack(folder)
    runtimes: list[Runtime] = [
        InProcessRuntime(pack.environment), IsolatedRuntime(pack.environment)
    ]  # fmt: skip
    for scenario in pack.scenarios[:3]:
        solved: list[object] = []
        wandered: list[object] = []
        for runtime in runtimes:
            with Episode(scenario, runtime) as episode:
                seen = [episode.call(call.name, call.arguments) for call in scenario.solution]
                solved.append((seen, episode.state(), episode.grade()))
            with Episode(scenario, runtime) as episode:
                play(RandomCalls(episode.tools, scenario.name), episode, CALLS)
                wandered.append((list(episode.calls), episode.state(), episode.grade()))
        assert solved[0] == solved[1]
        assert wandered[0] == wandered[1]


def test_many_threads_share_one_server() -> None:
    runtime = IsolatedRuntime(OFFICE)
    expected = trace(runtime)
    start = threading.Barrier(8)

    def play_in_thread(_: int) -> list[object]:
        start.wait()
        return trace(runtime)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(play_in_thread, range(8))) == [expected] * 8


def test_calls_of_two_threads_on_one_episode_do_not_mix() -> None:
    runtime = IsolatedRuntime(OFFICE)
    with Episode(SCENARIO, runtime) as episode, ThreadPoolExecutor(4) as threads:
        names = [f"n{number}" for number in range(40)]
        for told in threads.map(lambda name: episode.call("issue", {"name": name}), names):
            assert '"success": true' in told
        assert len(episode.state()["by_number"]) == 40


def test_a_session_can_be_closed_twice_and_then_only_says_that_it_stopped() -> None:
    session = IsolatedRuntime(OFFICE).start_scenario(SCENARIO, seed=0)
    session.close()
    session.close()
    told = session.call("issue", {"name": "a"}).observation
    assert "The system has stopped: issue has been closed" in told
